"""How far a build is said to be, and how a command that has loaded something ends."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from orchestration.builds.progress import (
    Building,
    Follower,
    durations,
    keep_durations,
    tell,
    watched,
)
from orchestration.cli import main
from orchestration.commands import build
from orchestration.commands.build import publish_loaded
from orchestration.errors import BuildFailed, BuildStopped, FiguresNotBuilt
from orchestration.failures import STOPPED, exit_code, stopped, was_stopped
from warehouse.changes import UnpublishedChange
from warehouse.home import Home

_TIMES = {"a": 30.0, "b": 10.0}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Building]:
    found: list[Building] = []
    monkeypatch.setattr("orchestration.builds.progress._watchers", [found.append])
    return found


def test_what_is_left_of_a_build_is_said_from_what_each_part_took_before(
    told: list[Building],
) -> None:
    Follower({"a", "b"}, _TIMES).hear("b")
    assert [each.sentence for each in told] == [
        "building: 0 of 2 models and tests, about 40 s left",
        "building: 1 of 2 models and tests, about 30 s left",
    ]


def test_nothing_is_guessed_where_a_part_was_never_built(told: list[Building]) -> None:
    follower = Follower({"a", "new"}, _TIMES)
    for name in ("new", "new", "elsewhere"):
        follower.hear(name)
    assert told[-1].sentence == "building: 1 of 2 models and tests"


def test_the_shares_of_parts_that_ran_side_by_side_add_up_to_what_the_clock_said(
    home: Home,
) -> None:
    def result(name: str, start: int, end: int, status: str = "success") -> dict[str, Any]:
        at = ({"started_at": f"2026-01-01T00:00:{n:02}Z"} for n in (start, end))
        timing = {**next(at), "completed_at": next(at)["started_at"]}
        took = float(end - start)
        return {"unique_id": name, "status": status, "execution_time": took, "timing": [timing]}

    assert durations(home) == {}
    home.dbt_target.mkdir(parents=True)
    results = [result("a", 0, 10), result("b", 0, 10), result("c", 5, 10, "error")]
    (home.dbt_target / "run_results.json").write_text(json.dumps({"results": results}))
    keep_durations(home)
    assert durations(home) == {"a": 4.0, "b": 4.0}


def test_where_nobody_watches_each_step_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with watched():
        for done in range(3):
            tell(Building("building", done, 2))
        print("12:00 Failure in test unique_id\n12:00 1 of 2 OK")
        tell(Building("publishing"))
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "building: 0 of 2 models and tests",
        "12:00 Failure in test unique_id",
        "publishing",
    ]
    assert said.out == ""


@pytest.mark.parametrize(
    ("error", "kind", "expected"),
    [
        (BuildFailed("build: broken: rpt_x"), FiguresNotBuilt, "rostrum build tries again"),
        (KeyboardInterrupt(), BuildStopped, "rostrum build goes on"),
    ],
)
def test_a_build_that_fails_after_a_load_says_that_the_load_is_kept(
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    kind: type[Exception],
    expected: str,
) -> None:
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(build, "_publish", fail)
    with pytest.raises(kind) as caught:
        publish_loaded(home, print, is_wanted=True)
    last = str(caught.value).splitlines()[-1]
    assert "what was loaded is kept, and no figures are published yet" in last
    assert last.endswith(expected)
    if was_stopped(caught.value):
        assert stopped(caught.value) == last
        assert STOPPED == 130
    else:
        assert str(error) in str(caught.value)
        assert exit_code(caught.value) == 1


_STALE = {
    "model.rostrum.rpt_a": {"resource_type": "model", "fqn": ["rostrum", "debates"], "name": "a"},
    "model.rostrum.fct_b": {"resource_type": "model", "fqn": ["rostrum", "core"], "name": "b"},
    "test.rostrum.c": {"resource_type": "test"},
}


def test_what_a_build_of_one_subject_left_is_named_by_subject() -> None:
    change = UnpublishedChange("moved", "rpt_x", "tau", "d", None, 0.1, 0.5, 0.25, 0.75, 9)
    said: list[str] = []
    build._say_unpublished("speeches", [change], said.append)
    assert said == [
        "speeches is built and tested; its estimates: 1 moved",
        "  moved     rpt_x: tau d = 0.5 [0.25, 0.75], n = 9, was 0.1",
    ]
    assert build._stale(list(_STALE), {"nodes": _STALE}) == (
        "debates: 1 (a); shared by all: 1 (b); 1 tests and seeds"
    )


@pytest.mark.parametrize(
    "command",
    [
        ["import", "FILE"],
        ["ingest", "sample"],
        ["run", "speech-score", "--judge", "rule/length"],
        ["transcribe", "FILE", "--title", "Final"],
        ["verify", "final", "--by", "Ada"],
        ["keypoints", "why", "--data", "sample"],
        ["tournament", "sample-tournament"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_loads_something_builds_unless_it_is_told_not_to(
    command: list[str], home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[bool] = []

    def note(*_: Any, is_wanted: bool, **__: Any) -> None:
        wanted.append(is_wanted)

    def nothing(*_: Any, **__: Any) -> int:
        return 0

    for name in ("build", "runs.run"):
        monkeypatch.setattr(f"orchestration.commands.{name}.publish_loaded", note)
    monkeypatch.setattr("orchestration.loads.Load.load_and_say", nothing)
    monkeypatch.setattr(
        "orchestration.commands.pipelines._materialize",
        lambda home, stage, steps, operation: {step: defaultdict(int) for step in steps},
    )
    monkeypatch.setattr("ingestion.parliamentary.transcripts.load.decision", lambda *_, **__: b"")
    monkeypatch.setattr("orchestration.commands.pipelines.KeyPoints.show_plan", nothing)
    monkeypatch.setattr("orchestration.commands.run_commands.Tournament.hold", nothing)
    found = {"errors_by_kind": {}, "status": "complete", "cost": "0", "seconds": 0}
    counts = ("requests", "answered_now", "already_answered", "reused", "failed", "unparsed")
    monkeypatch.setattr(
        "orchestration.commands.runs.run._standing", lambda *_: found | dict.fromkeys(counts, 0)
    )
    file = tmp_path / "file.txt"
    file.touch()
    words = [str(file) if word == "FILE" else word for word in command]
    for more in ([], ["--no-build"]):
        with pytest.raises(SystemExit) as ended:
            main(["--home", str(home.root), *words, *more])
        assert not ended.value.code
    assert wanted == [True, False]


def test_who_wants_no_build_is_told_what_publishes(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    publish_loaded(home, print, is_wanted=False)
    assert capsys.readouterr().out.startswith("next: rostrum build, which publishes the figures")
