"""`rostrum build` on a lake, killed in whole and in part: the file's own tests, run on one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import workplace  # noqa: F401
from tests.faults.harness.client import Pool
from tests.faults.harness.inputs import write_inputs
from tests.faults.harness.mini_dbt import write_project
from tests.faults.test_builds_with_dbt import (  # noqa: F401
    Builder,
    made_builder,
    test_a_build_killed_at_a_random_time_goes_on,
    test_a_command_killed_before_during_or_after_dbt_goes_on,
    test_a_dbt_ends_with_its_killed_command_and_the_next_build_need_not_wait,
    test_a_dbt_killed_alone_is_a_failed_build_by_name,
)
from tests.scale.conftest import EmptyLake, Postgres

pytestmark = [
    pytest.mark.scale("psycopg2", "duckdb_extension_ducklake"),
    pytest.mark.slow,
    # `test_faults_on_lake` kills between two marts in the rest.
    pytest.mark.soak,
]


@pytest.fixture(scope="module")
def builder(
    workplace: Path,  # noqa: F811
    postgres: Postgres,
    empty_lake: EmptyLake,
) -> Iterator[Builder]:
    from tests.scale.lake_trials import LakeTrials

    folder = workplace / "dbt"
    pool = Pool(2, workplace / "server.log", preload=write_project(folder / "project"))
    inputs = write_inputs(folder / "inputs")
    yield made_builder(LakeTrials(pool, inputs, folder, postgres, empty_lake))
    pool.close()
