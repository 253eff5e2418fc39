"""What holds of kills, full disks and second writers holds on a lake: the file's own tests, run on one.

A trial takes seconds where one on a file takes a fraction, so that `make test-scale` tries a few
points of a build and of a publication, and the soak every point of every stage.
"""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.faults import test_full_disk as full_disk
from tests.faults import test_kills as kills
from tests.faults import test_two_writers as two_writers
from tests.faults.conftest import record_all
from tests.faults.harness.client import Outcome, Pool
from tests.faults.harness.inputs import write_inputs
from tests.faults.harness.points import Plan
from tests.faults.harness.trial import Stage, Trials
from tests.faults.test_two_writers import (  # noqa: F401
    test_a_killed_holder_is_not_waited_for,
    test_a_writer_that_waited_long_enough_gives_up_and_names_the_holder,
)
from tests.scale.conftest import EmptyLake, Postgres

pytestmark = [pytest.mark.scale("psycopg2", "duckdb_extension_ducklake"), pytest.mark.slow]

_OLD = ("ingest_first", "import_first", "build", "publish_build")
# Loads, and the two by which readers see something new. What judges write into the home before a
# load is killed at in `tests/faults`, where it is the same.
_BEFORE = {
    "ingest_changed": _OLD,
    "import_changed": _OLD,
    "build": (*_OLD, "ingest_changed"),
    # As many versions as are kept, so that publishing removes one.
    "publish_build": (*_OLD, "publish_build", "publish_build", "ingest_changed", "build"),
}
_KILLED = ("import_changed", "build", "publish_build")
# Between two marts; once all rows are there; once readers see it; before the oldest's rows go.
_CHOSEN = {
    "build": ("execute create or replace table after #1",),
    "publish_build": (
        "execute create table published.main.publication as after #1",
        "postgres insert into rostrum_published.versions after #1",
        "postgres delete from rostrum_published.versions after #1",
    ),
}


@pytest.fixture(scope="module")
def trials(
    workplace: Path,
    layers: dict[str, Path | None],
    postgres: Postgres,
    empty_lake: EmptyLake,
) -> Iterator[Trials]:
    from tests.scale.lake_trials import LakeTrials

    pool = Pool(2, workplace / "server.log", shim=layers.get("native"))
    inputs = write_inputs(workplace / "inputs")
    yield LakeTrials(pool, inputs, workplace, postgres, empty_lake)
    pool.close()


@pytest.fixture(scope="module")
def stages(trials: Trials, layers: dict[str, Path | None]) -> dict[str, Stage]:
    return record_all(trials, layers, _BEFORE)


def test_a_kill_between_marts_or_around_a_publication_leaves_a_lake_that_goes_on(
    stages: dict[str, Stage], trials: Trials
) -> None:
    def attempt(point: tuple[str, str]) -> list[str]:
        name, text = point
        assert text in stages[name].points["python"]

        def after(outcome: Outcome) -> list[str]:
            return [] if outcome.signal == signal.SIGKILL else [str(outcome)]

        return trials.problems(stages[name], text, Plan("kill", "python", text), after=after)

    assert trials.each(attempt, [(name, text) for name in _CHOSEN for text in _CHOSEN[name]]) == []


def test_a_publication_that_finds_no_room_says_so_and_goes_on(
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, Path | None],
) -> None:
    if "native" not in layers:
        pytest.skip("DuckDB's own calls can be reached only on Linux with a C compiler")

    def after(outcome: Outcome) -> list[str]:
        named = f"the disk of {trials.folder}/" in outcome.error and "/lake/, of" in outcome.error
        return [] if outcome.code == 1 and named else [f"not a named error about space: {outcome}"]

    stage, plan = stages["publish_build"], Plan("full", "native", "1")
    assert trials.problems(stage, "no room", plan, after=after) == []


@pytest.mark.soak
@pytest.mark.parametrize("layer", ["python", "native"])
@pytest.mark.parametrize("name", _KILLED)
def test_a_kill_at_any_point_leaves_a_lake_that_goes_on(
    name: str,
    layer: str,
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, object],
) -> None:
    # DuckDB writes one file of a table's rows there, and no log of its own.
    assert kills.kill_at_points(name, layer, stages, trials, layers) > 1


@pytest.mark.soak
@pytest.mark.parametrize("name", _KILLED)
def test_a_kill_at_a_random_time_leaves_a_lake_that_goes_on(
    name: str, stages: dict[str, Stage], trials: Trials
) -> None:
    kills.test_a_kill_at_a_random_time_leaves_a_home_that_goes_on(name, stages, trials)


@pytest.mark.soak
@pytest.mark.parametrize("layer", ["python", "native"])
@pytest.mark.parametrize("name", _KILLED)
def test_a_full_disk_at_any_point_harms_no_lake(
    name: str,
    layer: str,
    stages: dict[str, Stage],
    trials: Trials,
    layers: dict[str, object],
) -> None:
    test = full_disk.test_a_full_disk_is_said_and_harms_nothing
    test(name, layer, False, stages, trials, layers)


@pytest.mark.soak
@pytest.mark.parametrize("name", _BEFORE)
def test_a_small_file_system_that_is_really_full(
    name: str,
    stages: dict[str, Stage],
    trials: Trials,
    resized: Callable[[str], Path],
) -> None:
    full_disk.test_a_small_file_system_that_is_really_full(name, stages, trials, resized)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["ingest_changed", "publish_build"])
def test_the_second_writer_waits_and_names_the_first(
    name: str, stages: dict[str, Stage], trials: Trials
) -> None:
    two_writers.test_the_second_writer_waits_and_names_the_first(name, stages, trials)
