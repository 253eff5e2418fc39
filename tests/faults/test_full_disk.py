"""A full disk, at every write, fsync, rename and copy: a named error, and the old state intact.

In most cases the disk is full from the point on, until the command has ended. Python's own calls
are also failed one by one, so that what follows the failure finds room again. What DuckDB makes of
a full disk is tried by failing its own calls, and on a real file system with no room left.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.conftest import IS_SOAK, STAGES, sampled
from tests.faults.harness import snapshot
from tests.faults.harness.client import Outcome
from tests.faults.harness.points import Plan
from tests.faults.harness.trial import Stage, Trials, state_of
from warehouse.home import Home

pytestmark = pytest.mark.faults

# Answers that arrive together share a write, and how many do depends on the moment.
MISSED_AT_MOST = 0.1
_NEEDS_ROOM = (
    "create",
    "write",
    "pwrite",
    "fsync",
    "replace",
    "rename",
    "link",
    "symlink",
    "mkdir",
    "sendfile",
)


def _is_clear(outcome: Outcome) -> list[str]:
    if outcome.code == 1 and re.search(r"\b(space|room)\b", outcome.error):
        return []
    return [f"not a named error about space: {outcome}"]


def _needing_room(points: list[str]) -> list[tuple[int, str]]:
    """Return the points at which a full disk can fail the call, each with its number."""
    numbered = enumerate(points, start=1)
    return [
        (number, text)
        for number, text in numbered
        if " before" in text and text.startswith(_NEEDS_ROOM)
    ]


@pytest.mark.parametrize(
    ("layer", "once"),
    [("python", False), ("python", True), ("native", False)],
    ids=["full from here on", "one call fails", "full inside DuckDB"],
)
@pytest.mark.parametrize("name", STAGES)
def test_a_full_disk_is_said_and_harms_nothing(
    name: str,
    layer: str,
    once: bool,
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, object],
) -> None:
    if layer not in layers:
        pytest.skip("DuckDB's own calls can be reached only on Linux with a C compiler")
    stage, missed = stages[name], []
    needing = _needing_room(stage.points[layer])
    points = [needing[place] for place in sampled([text for _, text in needing], is_first=once)]

    def attempt(point: tuple[int, str]) -> list[str]:
        number, text = point

        def after(outcome: Outcome) -> list[str]:
            if outcome.code == 0:
                missed.append(point)
                return []
            return _is_clear(outcome)

        plan = Plan("full", layer, str(number) if layer == "native" else text, once=once)
        return trials.problems(stage, f"full at {text}", plan, after=after)

    problems = trials.each(attempt, points)
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems)
    assert len(missed) <= max(1, MISSED_AT_MOST * len(points)), f"no error at {missed}"
    assert points or (name in ("run_judges", "analyse") and layer == "native")
    print(f"{name}: {len(points)} {layer} points, {len(missed)} without an error")


@pytest.mark.parametrize("name", ["ingest_changed", "import_changed", "build", "publish_build"])
def test_a_small_file_system_that_is_really_full(
    name: str, stages: dict[str, Stage], trials: Trials, resized: Callable[[str], Path]
) -> None:
    stage = stages[name]
    failed = 0
    # From no room at all to room for most of what the stage writes.
    for spare_kb in (0, 4, 8, 16, 32) if IS_SOAK else (0, 16):
        home = _copy_to(resized("64m"), stage, trials)
        resized(f"{shutil.disk_usage(home.root).used // 1024 + spare_kb}k")
        outcome = trials.run(name, home)
        failed += outcome.code != 0
        if outcome.code != 0:
            assert _is_clear(outcome) == []
            assert snapshot.published_of(home) == stage.old.published
            assert snapshot.database_of(home)[0] in (stage.old.raw, *stage.states)
        resized("64m")
        again = trials.run(name, home)
        assert again.code == 0, again.error
        if name != "publish_build":
            assert stage.new.differences(state_of(home)) == []
        assert snapshot.published_of(home) == stage.new.published
    assert failed > 0


def _copy_to(place: Path, stage: Stage, trials: Trials) -> Home:
    for left in place.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    return trials.copy_of(stage.before, place)


@pytest.mark.parametrize(
    ("copies", "said"),
    [
        (0.5, r"has \d+ MB free and needs \d+ MB for a copy of build\.duckdb"),
        (1.5, r"has \d+ MB free and a new version may need \d+ MB"),
    ],
)
def test_free_space_is_looked_at_before_anything_is_published(
    copies: float,
    said: str,
    stages: dict[str, Stage],
    trials: Trials,
    resized: Callable[[str], Path],
) -> None:
    stage = stages["publish_build"]
    home = _copy_to(resized("64m"), stage, trials)
    spare = int(home.build_db.stat().st_size * copies)
    resized(f"{(shutil.disk_usage(home.root).used + spare) // 1024}k")
    log = trials.folder / f"points-with-room-for-{copies}"
    outcome = trials.run("publish_build", home, Plan("record", log=str(log)))
    assert outcome.code == 1
    assert re.search(said, outcome.error), outcome.error
    assert "attach" not in log.read_text()
    home.build_copy.unlink(missing_ok=True)
    assert snapshot.file_names(home) == snapshot.file_names(Home(stage.before))
