import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inference_fixtures import Stub, completion, judges_file

from inference.errors import BadSettings, KeyPointsFailed
from inference.speeches.keypoints.pipeline import (
    PIPELINE,
    Analysis,
    Task,
    Tools,
    costs_of,
    limits_for,
)
from inference.speeches.keypoints.results import STEPS, labels, read_analysis
from inference.steps.files import step_path

RULES = Task("a", "d", "speech_score_justified")


def row(number: int, reasons: str) -> dict[str, Any]:
    return {
        "judge_id": "j/m",
        "item_id": f"i{number}",
        "request_id": f"q{number}",
        "run_id": "r",
        "sample": 0,
        "motion": "We should ban cars",
        "response": f"<scratchpad>{reasons}</scratchpad><score>3</score>",
    }


ROWS = [
    row(1, "The structure is clear, but the claims lack evidence."),
    row(2, "The structure is clear. The speaker offers no examples."),
    row(3, "The organisation is clear. The claims lack evidence."),
    row(4, ""),
]


def done(folder: Path, task: Task = RULES, rows: Any = ROWS, **tools: Any) -> list[str]:
    work = Analysis(folder, task, Tools(folder.parent / "replies", **tools), rows)
    return [each.status for each in PIPELINE.run_all(work)]


def test_a_step_is_done_again_only_where_its_input_changed(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    assert done(folder) == ["done"] * 6
    assert done(folder) == ["unchanged"] * 6
    assert done(folder, rows=list(reversed(ROWS))) == ["unchanged"] * 6
    # Killed before the last two were written: they are made, the others stand.
    first = read_analysis(folder)
    for step in STEPS[-2:]:
        step_path(folder, step).unlink()
    with pytest.raises(KeyPointsFailed, match="has not been done"):
        read_analysis(folder)
    assert done(folder) == ["unchanged"] * 4 + ["done"] * 2
    assert read_analysis(folder).found == first.found
    # A new text that says what one did before changes nothing behind its own step.
    assert done(folder, rows=[*ROWS[:3], row(4, " ")]) == ["done"] + ["unchanged"] * 5
    strict = Task("a", "d", "t", limits=limits_for("tfidf", 0.9))
    done(folder)
    assert done(folder, strict) == ["unchanged"] * 4 + ["done"] * 2


def test_what_is_found_and_what_is_left_out_is_all_there(tmp_path: Path) -> None:
    done(tmp_path / "a")
    found = read_analysis(tmp_path / "a")
    assert [each["status"] for each in found.justifications] == ["sentences"] * 3 + ["empty"]
    by_polarity = {each["polarity"]: each["gain"] for each in found.found.key_points}
    assert by_polarity == {"pro": 3, "con": 3}
    assert len(found.found.sentences) == 6
    assert len(found.labelled.sentences) == len(labels()) >= 150
    with pytest.raises(KeyPointsFailed, match="is no name"):
        done(tmp_path / "b", Task("labelled", "d", "t"))


def test_a_model_is_asked_once_within_its_budget(stub: Stub, tmp_path: Path) -> None:
    prices = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 1.0}
    file = judges_file(tmp_path, "openai/m", base_url=stub.url, api_key_env="", **prices)
    task = Task("a", "d", "t", rephraser="openai/m")
    stub.react = lambda body, _: completion(
        "no tags" if "examples" in json.dumps(body) else "<result>\nThe order is clear.\n</result>"
    )
    (cost,) = costs_of(task, Tools(tmp_path / "replies", file), ROWS)
    assert (cost.requests, cost.known, cost.is_exact) == (3, 0, True)
    assert cost.usd_most is not None
    with pytest.raises(KeyPointsFailed, match=r"before passing the budget of \$0"):
        done(tmp_path / "a", task, judges_file=file, budget_usd=0.0)
    assert not stub.bodies
    done(tmp_path / "a", task, judges_file=file, budget_usd=1.0)
    assert len(stub.bodies) == 3
    found = read_analysis(tmp_path / "a").justifications
    assert [each["status"] for each in found[:3]] == ["sentences", "rephrasing_failed", "sentences"]
    assert "0 results" in found[1]["reason"]
    # Another analysis needs the same replies, and asks nobody.
    done(tmp_path / "b", task, judges_file=file)
    assert len(stub.bodies) == 3
    (cost,) = costs_of(task, Tools(tmp_path / "replies", file), ROWS)
    assert (cost.known, cost.usd) == (3, 0)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -9000, "completion_tokens": 5}])
def test_replies_without_usage_use_up_the_budget(stub: Stub, tmp_path: Path, usage: Any) -> None:
    prices = {"usd_per_million_tokens_in": 1.0, "usd_per_million_tokens_out": 1.0}
    file = judges_file(tmp_path, "openai/m", base_url=stub.url, api_key_env="", **prices)
    task = Task("a", "d", "t", rephraser="openai/m")
    stub.react = lambda *_: completion("<result>\nClear.\n</result>", usage=usage)
    (cost,) = costs_of(task, Tools(tmp_path / "replies", file), ROWS)
    assert cost.usd_most is not None
    for _ in range(2):
        with pytest.raises(KeyPointsFailed, match="before passing the budget"):
            done(tmp_path / "a", task, judges_file=file, budget_usd=2.5 / 3 * cost.usd_most)
        assert len(stub.bodies) == 2
    # As an earlier version wrote what it had spent, which counts, too.
    (tmp_path / "a" / "spent.json").write_text('{"usd": 5.0}')
    with pytest.raises(KeyPointsFailed, match="before passing the budget"):
        done(tmp_path / "a", task, judges_file=file, budget_usd=5.0)
    assert len(stub.bodies) == 2
    (tmp_path / "a" / "spent.json").write_text('{"usd": NaN}')
    with pytest.raises(BadSettings, match="does not state what was spent"):
        done(tmp_path / "a", task, judges_file=file, budget_usd=1e6)
    longer = judges_file(tmp_path, "openai/n", max_tokens=9000, system_prompt="x" * 900, **prices)
    (more,) = costs_of(replace(task, rephraser="openai/n"), Tools(tmp_path / "none", longer), ROWS)
    assert more.usd_most == pytest.approx(cost.usd_most + 3 * (9000 - 2048 + 900) * 1e-6)


def test_a_threshold_is_asked_for_where_none_is_known() -> None:
    with pytest.raises(KeyPointsFailed, match="name one with --threshold"):
        limits_for("local/m")
    assert limits_for("local/m", 0.8).redundancy_threshold == 0.9
    with pytest.raises(KeyPointsFailed, match="no cosine"):
        limits_for("tfidf", 1.2)
