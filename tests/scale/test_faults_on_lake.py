"""What holds of kills and second writers holds on a lake: the file's own tests, run again on one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import test_kills as kills
from tests.faults.conftest import record_all, workplace  # noqa: F401
from tests.faults.harness.client import Pool
from tests.faults.harness.inputs import write_inputs
from tests.faults.harness.trial import Stage, Trials
from tests.faults.test_two_writers import (  # noqa: F401
    test_a_killed_holder_is_not_waited_for,
    test_a_writer_that_waited_long_enough_gives_up_and_names_the_holder,
)
from tests.scale.conftest import Postgres

pytestmark = [pytest.mark.scale("psycopg2", "duckdb_extension_ducklake"), pytest.mark.slow]
# What the first writes into the home is killed at in `tests/faults`, where it is the same.
STAGES = ("ingest_changed", "import_changed")


@pytest.fixture(scope="module")
def trials(workplace: Path, postgres: Postgres) -> Iterator[Trials]:  # noqa: F811
    from tests.scale.lake_trials import LakeTrials

    pool = Pool(2, workplace / "server.log")
    yield LakeTrials(pool, write_inputs(workplace / "inputs"), workplace, postgres)
    pool.close()


@pytest.fixture(scope="module")
def stages(trials: Trials) -> dict[str, Stage]:
    return record_all(trials, STAGES, {"python": None})


def test_a_kill_at_any_point_of_a_load_leaves_a_lake_that_goes_on(
    stages: dict[str, Stage], trials: Trials
) -> None:
    test = kills.test_a_kill_at_any_point_leaves_a_home_that_goes_on
    test("import_changed", "python", stages, trials, {"python": None})
