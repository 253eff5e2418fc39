"""Raw may live in another catalog than the marts: nothing in the models may assume one file."""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.dbt_runs import fork_dbt
from tests.small_project import read_manifest, write_small_project
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home

# One of each part of the project, and all they are made from.
_MARTS = ("fct_score", "rpt_rank_agreement", "rpt_verdict_accuracy", "rpt_debateqa_leaderboard")
_PROFILE = """
rostrum:
  target: build
  outputs:
    build:
      type: duckdb
      path: "{build}"
      threads: 1
      module_paths: ["{plugins}"]
      plugins: [{{module: warehouse_functions}}]
      attach:
        - path: "{raw}"
          alias: elsewhere
          read_only: true
"""


@pytest.mark.slow
def test_the_marts_are_the_same_with_raw_in_a_second_attached_catalog(
    demo_copy: Callable[[], Home], tmp_path: Path
) -> None:
    home = demo_copy()
    raw, marts = tmp_path / "raw.duckdb", tmp_path / "apart" / "build.duckdb"
    shutil.copy(home.build_db, raw)
    marts.parent.mkdir()
    manifest = read_manifest(home.dbt_target / "manifest.json")
    project = write_small_project(tmp_path / "product", manifest, _MARTS) / "dbt_project"
    (project / "profiles.yml").write_text(
        _PROFILE.format(build=marts, raw=raw, plugins=DBT_PROJECT / "plugins")
    )
    fork_dbt(
        home,
        "run",
        "--quiet",
        f"--project-dir={project}",
        f"--profiles-dir={project}",
        "--vars={raw_database: elsewhere}",
        f"--target-path={tmp_path / 'target'}",
        f"--log-path={tmp_path / 'target'}",
    )
    with duckdb.connect(str(marts), read_only=True) as apart:
        apart.execute(f"attach '{home.build_db}' as together (read_only)")
        for mart in _MARTS:
            schemas = {
                row[0]
                for row in apart.execute(
                    "select schema_name from duckdb_schemas() where database_name = 'build'"
                ).fetchall()
            }
            assert "raw" not in schemas
            one_way, other_way = (
                apart.execute(f"from {place}.{mart} order by all").fetchall()
                for place in ("marts", "together.marts")
            )
            assert one_way
            for row, twin in zip(one_way, other_way, strict=True):
                for value, other in zip(row, twin, strict=True):
                    is_number = isinstance(value, float)
                    assert value == (
                        pytest.approx(other, rel=1e-9, abs=1e-9) if is_number else other
                    )
