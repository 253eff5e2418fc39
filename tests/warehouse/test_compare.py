"""Two published versions compared: every number of every report, matched by the key dbt tests."""

import csv
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from warehouse.compare import Change, MartChanges, compare, mart_keys

KEYS = {"rpt_thing": ("judge", "part")}


def version(path: Path, *tables: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for table in tables:
            connection.execute(f"create table {table}")
    return path


def things(rows: str, columns: str = "(judge, part, n, tau, words)") -> str:
    return f"rpt_thing as select * from (values {rows}) as t{columns}"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    before = version(
        tmp_path / "1.duckdb",
        things("('a', 1, 10, 0.5, 'x'), ('a', null, 20, null, 'x'), ('b', 1, 5, 0.25, 'x')"),
        "dim_other as select 1 as n",
    )
    after = version(
        tmp_path / "2.duckdb",
        things(
            "('a', 1, 12, 0.5 + 1e-14, 'y'), ('a', null, 20, 0.75, 'x'), ('c', 1, 1, 0.125, 'x')"
        ),
        "dim_other as select 2 as n",
    )
    return before, after


def test_every_changed_number_is_listed_with_its_row_and_rows_that_came_or_went(
    pair: tuple[Path, Path],
) -> None:
    found = compare(*pair, KEYS)
    # One number came out of nothing, which is all of it; 10 to 12 is a sixth of 12.
    assert list(found.largest) == [
        Change("rpt_thing", "judge=a, part=null", "tau", "changed", None, 0.75),
        Change("rpt_thing", "judge=a, part=1", "n", "changed", 10.0, 12.0),
        Change("rpt_thing", "judge=b, part=1", "", "row vanished", None, None),
        Change("rpt_thing", "judge=c, part=1", "", "row appeared", None, None),
    ]
    assert list(found.marts) == [MartChanges("rpt_thing", 2, 2, 1, 1)]
    assert found.notes == []


def test_a_file_gets_every_change_where_only_the_largest_are_shown(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "changes.csv"
    found = compare(*pair, KEYS, out=out, shown=1)
    assert len(found.largest) == 1
    with out.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 4
    assert rows[1] == {
        "mart": "rpt_thing",
        "key": "judge=a, part=1",
        "column": "n",
        "change": "changed",
        "before": "10.0",
        "after": "12.0",
    }
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_version_is_equal_to_itself_and_neither_file_is_written(pair: tuple[Path, Path]) -> None:
    content = pair[0].read_bytes()
    found = compare(pair[0], pair[0], KEYS)
    assert found.total == MartChanges("all", 0, 6, 0, 0)
    assert pair[0].read_bytes() == content


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    before = version(
        tmp_path / "1.duckdb",
        things("('a', 1, 2, 3, 4)"),
        "rpt_old as select 1 as n",
        "rpt_loose as select 1 as n",
    )
    after = version(
        tmp_path / "2.duckdb",
        things("('a', 1, 2, 3)", "(judge, part, n, rho)"),
        "rpt_loose as select 2 as n",
    )
    found = compare(before, after, KEYS)
    assert found.notes == [
        "rpt_loose: not compared, no key that both versions have is tested",
        "rpt_old: only the earlier has it",
        "rpt_thing: only one version has rho, tau, words",
    ]
    assert list(found.marts) == [MartChanges("rpt_thing", 0, 1, 0, 0)]


def test_numbers_that_are_not_finite_are_equal_to_themselves_only(tmp_path: Path) -> None:
    before = version(tmp_path / "1.duckdb", things("('a', 1, 'nan'::double, 'inf'::double, 1.0)"))
    after = version(
        tmp_path / "2.duckdb", things("('a', 1, 'nan'::double, '-inf'::double, 'inf'::double)")
    )
    assert compare(before, after, KEYS).total == MartChanges("all", 2, 1, 0, 0)


def test_keys_are_those_that_dbt_tests(tmp_path: Path) -> None:
    def test(name: str, **arguments: Any) -> dict[str, Any]:
        return {
            "attached_node": "model.rostrum.rpt_thing",
            "test_metadata": {"name": name, "kwargs": arguments},
        }

    nodes = {
        "model.rostrum.rpt_thing": {"name": "rpt_thing"},
        "one": test("holds", key=["judge", "part"], not_null=["judge"]),
        "two": test("other", key=["judge"]),
        "three": {"attached_node": None, "test_metadata": None},
        "of a source": test("holds", key=["judge"]) | {"attached_node": None},
    }
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps({"nodes": nodes}))
    assert mart_keys(path) == KEYS
    nodes["one"] = test("holds", key=["judge", "part"], unique=[["id"]])
    path.write_text(json.dumps({"nodes": nodes}))
    assert mart_keys(path) == {"rpt_thing": ("id",)}


def test_every_report_of_the_project_has_a_key(built_demo: Any) -> None:
    from warehouse.reader import current_version

    current = current_version(built_demo)
    keys = mart_keys(built_demo.dbt_target / "manifest.json")
    found = compare(current.path, current.path, keys)
    assert found.notes == []
    assert len(found.marts) >= 9
    assert found.total.changed == 0 < found.total.unchanged


def test_a_key_is_the_shortest_of_a_models_own_and_never_of_a_source(tmp_path: Path) -> None:
    rules = {"key": ["a", "b"], "unique": [["c"], ["a", "b", "d"]]}
    test = {"test_metadata": {"name": "holds", "kwargs": rules}}
    nodes = {
        "model": {"name": "rpt_x"},
        "test": test | {"attached_node": "model"},
        "test_of_source": test | {"attached_node": None},
    }
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"nodes": nodes}))
    assert mart_keys(manifest) == {"rpt_x": ("c",)}
