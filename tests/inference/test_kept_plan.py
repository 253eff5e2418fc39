from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from debate_fixtures import write_debates
from inference_fixtures import Stub, go, judge, lines, model, write_items

from inference import plan as planning
from inference.experiment import Experiment
from inference.experiments import load_experiment
from inference.items import ItemSource
from inference.journal import FILE_NAME
from inference.kinds import KIND
from inference.kinds.parts import Equipped
from inference.plan import PlannedRun, plan_runs
from inference.registry import JudgeSpec
from inference.runs import kept_plan

SCORES = load_experiment("speech-score")


@pytest.fixture(autouse=True)
def _every_run_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MANY", 1)


def start(
    tmp_path: Path, experiment: Experiment, spec: JudgeSpec, source: ItemSource, **more: Any
) -> PlannedRun:
    root = tmp_path / "journal"
    given = {"environ": {}, "prompts_folder": tmp_path, **more}
    (found,) = plan_runs(experiment, spec, [source], journal_root=root, **given)
    if found.to_keep is not None:
        (root / found.run_id).mkdir(parents=True, exist_ok=True)
        found.to_keep.keep(root / found.run_id)
    return found


def all_of(run: PlannedRun) -> tuple[Any, ...]:
    requests = [(each, request.sent, request.labels) for each, request in run.requests.items()]
    return run.run_id, list(run.header.items()), run.is_fresh, requests


@pytest.mark.parametrize("limit", [None, 3])
@pytest.mark.parametrize("name", ["speech-score", "debate-winner"])
def test_a_kept_plan_has_the_requests_of_one_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, limit: int | None
) -> None:
    experiment, spec = load_experiment(name), judge(tmp_path, "openai/x")
    source = (write_items if name == "speech-score" else write_debates)(tmp_path / "items", 7)
    anew = start(tmp_path, experiment, spec, source, limit=limit)
    assert anew.to_keep is not None
    monkeypatch.setattr(planning._Draft, "_fill", None)
    kept = start(tmp_path, experiment, spec, source, limit=limit)
    assert kept.to_keep is None
    assert all_of(kept) == all_of(anew)


def test_what_makes_ids_changes_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, source = judge(tmp_path, "openai/x"), write_items(tmp_path / "items", 9)
    first = start(tmp_path, SCORES, spec, source)

    def planned_anew(**more: Any) -> PlannedRun:
        found = start(tmp_path, SCORES, spec, source, **more)
        assert found.to_keep is not None
        return found

    assert len(planned_anew(limit=4).requests) == 4
    assert all_of(planned_anew()) == all_of(first)
    # White space within a prompt is another text to send, and no other run.
    shipped = (kept_plan._PACKAGE / "prompts" / "speech_score.txt").read_text()
    (tmp_path / "speech_score.txt").write_text(shipped.replace("\n", "\n\n"))
    spaced = planned_anew()
    assert spaced.run_id == first.run_id
    assert not set(spaced.requests) & set(first.requests)
    (tmp_path / "speech_score.txt").unlink()
    planned_anew()
    monkeypatch.setattr(kept_plan, "code_hash", lambda: "other code")
    planned_anew()


def test_a_judges_changed_weights_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model's weights, say, may change in a folder that keeps its name."""
    spec, source = judge(tmp_path, "openai/x"), write_items(tmp_path / "items", 3)
    first = start(tmp_path, SCORES, spec, source)
    usual = planning.request_id
    with monkeypatch.context() as patch:
        patch.setattr(planning, "request_id", lambda *given: usual(*given)[::-1])
        second = start(tmp_path, SCORES, spec, source)
    assert second.to_keep is not None
    assert not set(second.requests) & set(first.requests)


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-8],
        lambda whole: whole[:-1] + bytes([whole[-1] ^ 1]),
        lambda whole: whole.replace(b'"schema_version": 1', b'"schema_version": 2'),
        lambda whole: whole.replace(b'"planned": 3', b'"planned": 4'),
        lambda whole: b"",
        lambda whole: b"[]\n",
    ],
)
def test_a_damaged_file_is_planned_anew(tmp_path: Path, damage: Any) -> None:
    spec, source = judge(tmp_path, "openai/x"), write_items(tmp_path / "items", 3)
    first = start(tmp_path, SCORES, spec, source)
    (path,) = (tmp_path / "journal").glob(f"*/{kept_plan.FILE_NAME}")
    path.write_bytes(damage(path.read_bytes()))
    second = start(tmp_path, SCORES, spec, source)
    assert second.to_keep is not None
    assert all_of(second) == all_of(first)


def test_small_plans_or_plans_with_documents_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, source = judge(tmp_path, "openai/x"), write_items(tmp_path / "items", 3)
    monkeypatch.setattr(planning, "MANY", 4)
    assert start(tmp_path, SCORES, spec, source).to_keep is None
    monkeypatch.setattr(planning, "MANY", 3)
    assert start(tmp_path, SCORES, spec, source).to_keep is not None

    def shown_with(_: Any, judge: Any, resources: Any) -> Equipped:
        return Equipped(judge, lambda item: replace(item, text="Another text."))

    monkeypatch.setattr(type(KIND["speech"]), "equipped", shown_with)
    found = start(tmp_path, SCORES, spec, source)
    assert found.to_keep is None
    assert {"Another text." in each.prompt for each in found.requests.values()} == {True}


def test_a_run_with_a_kept_plan_asks_only_what_is_missing(tmp_path: Path, stub: Stub) -> None:
    spec, source = model(tmp_path, stub), write_items(tmp_path / "items", 8)
    go(tmp_path, SCORES, spec, source, limit=5)
    assert go(tmp_path, SCORES, spec, source).answered == 3
    before = lines(tmp_path)
    assert len(stub.bodies) == 8
    summary = go(tmp_path, SCORES, spec, source)
    assert (summary.status, summary.already_answered, summary.answered) == ("complete", 8, 0)
    assert lines(tmp_path) == before
    # An answer that was lost is the only one asked for again.
    path = next((tmp_path / "journal").glob(f"*/{FILE_NAME}"))
    text = path.read_text().splitlines(keepends=True)
    lost = next(each for each in text if '"kind":"answer"' in each)
    path.write_text("".join(each for each in text if each != lost and '"end"' not in each))
    assert go(tmp_path, SCORES, spec, source).answered == 1
    assert stub.bodies[-1]["messages"] in [each["messages"] for each in stub.bodies[:-1]]
    assert len(stub.bodies) == 9
