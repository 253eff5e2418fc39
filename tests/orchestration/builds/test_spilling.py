"""A build that needs more memory than it has writes rows to disk, and goes on."""

from pathlib import Path

import pytest
import yaml

from orchestration.builds.dbt import DBT_PROJECT
from tests.late import imported_late

environments = imported_late("dbt.adapters.duckdb.environments")
credentials = imported_late("dbt.adapters.duckdb.credentials")


def test_the_models_after_one_that_spilled_are_built_on_a_lake_too(tmp_path: Path) -> None:
    profile = yaml.safe_load((DBT_PROJECT / "profiles.yml").read_text())
    output = profile["rostrum"]["outputs"]["lake"]
    for about_the_lake in ("attach", "plugins", "module_paths", "database"):
        del output[about_the_lake]
    output["config_options"] |= {"temp_directory": str(tmp_path / "spill"), "memory_limit": "60MB"}
    environment = environments.create(
        credentials.DuckDBCredentials.from_dict({**output, "schema": "main"})
    )
    for _ in range(2):
        handle = environment.handle()
        cursor = handle.cursor()
        cursor.execute("set threads = 1")
        cursor.execute(
            "create or replace table sorted as "
            "select hash(i) as number, md5(i::varchar) as text from range(2_000_000) t(i) order by 1"
        )
        handle.close()
    assert list((tmp_path / "spill").iterdir())
    with pytest.raises(Exception, match="temporary directory"):
        environment.handle().cursor().execute(f"set temp_directory = '{tmp_path}'")
