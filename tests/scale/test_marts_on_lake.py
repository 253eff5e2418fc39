"""The demo's marts, built by Rostrum's own dbt project on a lake: the file's, value by value.

Whatever reads a version reads this one, too: pages, search, free SQL, exports and reports.
"""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from tests.conftest import run_rostrum
from tests.dashboard.shown import opened
from warehouse.compare import differ, mart_keys
from warehouse.home import Home
from warehouse.lake.versions import attach_version
from warehouse.reader import current_version

pytestmark = [
    pytest.mark.scale("psycopg2", "duckdb_extension_ducklake"),
    pytest.mark.slow,
    # All marts take minutes; `test_warehouse_on_lake` builds those of a small project.
    pytest.mark.soak,
]
# Made when a version is published: its name, and how it differs from the one before.
_OF_THE_VERSION = {"publication", "estimate_changes"}


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_the_demos_marts_on_a_lake_are_those_of_the_file(
    lake: str, demo_copy: Callable[[], Home], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = demo_copy()
    with monkeypatch.context() as without:
        without.delenv("ROSTRUM_WAREHOUSE")
        file = current_version(home)
    for words in (("warehouse", "move", "--to", "lake"), ("build", "--full")):
        done = run_rostrum(home, *words, timeout=3000)
        assert done.returncode == 0, done.stdout + done.stderr
    keys = mart_keys(home.dbt_target / "manifest.json")
    with duckdb.connect() as connection:
        attach_version(connection, file.path, "file")
        attach_version(connection, current_version(home).path, "lake")
        columns = _columns(connection, "file")
        assert _columns(connection, "lake").keys() == columns.keys()
        # A text of numbers with all their digits, of which another order of sums changes the last.
        del columns["rpt_decisions"]["numbers"]
        differing = {
            mart: found
            for mart in columns.keys() - _OF_THE_VERSION
            if (found := _differing(connection, mart, columns[mart], keys[mart]))
        }
    assert differing == {}
    monkeypatch.setenv("ROSTRUM_HOME", str(home.root))
    for name, parameters in (
        ("start", {}),
        ("judge", {}),
        ("decide", {}),
        ("search", {"q": "school"}),
    ):
        page = opened(name, **parameters)
        assert current_version(home).name in str([each.value for each in page.caption]), name
    for words in (
        ("sql", "select count(*) from rpt_rank_agreement"),
        ("decide", "replace", "--html", str(tmp_path / "decision.html")),
        ("export", "rpt_rank_agreement", "--out", str(tmp_path / "table.csv")),
        ("report", "--subject", "speeches", "--out", str(tmp_path / "study.html")),
    ):
        done = run_rostrum(home, *words, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "table.csv").read_text().count("\n") > 10
    assert current_version(home).name in (tmp_path / "study.html").read_text()


def _columns(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(
        "select table_name, column_name, data_type from duckdb_columns() "
        "where database_name = ? and schema_name = 'main' order by table_name, column_index",
        [database],
    ).fetchall():
        found.setdefault(table, {})[column] = kind
    return found


def _differing(
    connection: duckdb.DuckDBPyConnection, mart: str, columns: dict[str, str], key: tuple[str, ...]
) -> dict[str, int]:
    """Return by column how many values differ, numbers in their first nine digits."""
    joined = " and ".join(f'one."{name}" is not distinct from other."{name}"' for name in key)
    differs = {
        name: differ(f'one."{name}"', f'other."{name}"')
        if kind in ("DOUBLE", "FLOAT")
        else f'one."{name}" is distinct from other."{name}"'
        for name, kind in columns.items()
    }
    counts = ", ".join(f"count(*) filter ({each})" for each in differs.values())
    row = connection.execute(
        "select count(*) filter (one.is_there is null or other.is_there is null), "
        f'{counts} from (select *, true as is_there from file.main."{mart}") as one '
        f'full join (select *, true as is_there from lake.main."{mart}") as other on {joined}'
    ).fetchone()
    assert row is not None
    return {name: n for name, n in zip(("rows", *columns), row, strict=True) if n}
