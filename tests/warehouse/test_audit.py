"""Which models a build makes again: those that something they are made from has changed for."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from warehouse import audit
from warehouse.audit import Audit, Build, begin_build, finish_build
from warehouse.schema import migrate

# Raw tables a and b; c and d read one each, e reads both, f reads what d makes, h what g makes of it.
READS = {"c": ["a"], "d": ["b"], "e": ["c", "d"], "f": ["d"], "g": ["d"], "h": ["g"]}
# c and d are of one subject each; the others are shared.
FOLDERS = {"c": "debates", "d": "speeches", "e": "core", "f": "core", "g": "core", "h": "core"}
# Tells no more of what it reads than how long that is, at most so long.
LOSSY, LONG = "g", 9
ID = {name: f"source.rostrum.raw.{name}" for name in "ab"} | {
    name: f"model.rostrum.{name}" for name in READS
}


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        migrate(made)
        made.execute("create table raw.a as select 1 as n; create table raw.b as select 1 as n")
        made.execute("create schema marts")
        yield made


@pytest.fixture(autouse=True)
def _one_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "project_hash", lambda *_: "project")


def manifest_of(code: dict[str, str]) -> dict[str, Any]:
    """Return dbt's account of the models, each with a test."""
    nodes = {}
    for name, read in READS.items():
        nodes[ID[name]] = {
            "resource_type": "model",
            "schema": "marts",
            "name": name,
            "fqn": ["rostrum", FOLDERS[name], name],
            "raw_code": code.get(name, ""),
            "depends_on": {"nodes": [ID[each] for each in read]},
        }
        nodes[f"test.rostrum.{name}"] = {
            "resource_type": "test",
            "name": name,
            "depends_on": {"nodes": [ID[name]]},
        }
    sources = {ID[name]: {"schema": "raw", "name": name} for name in "ab"}
    return {"nodes": nodes, "sources": sources}


def select_of(name: str, code: dict[str, str]) -> str:
    """Return SQL that names everything it was made from."""
    own = f"'{code.get(name, '')}'"
    read = " || ".join(
        f"(select coalesce(string_agg(n::varchar, ',' order by n), '') "
        f"from {'raw' if each in 'ab' else 'marts'}.{each})"
        for each in READS[name]
    )
    if name == LOSSY:
        read = f"least(length({read}), {LONG})"
    return f"select {own} || '{name}(' || {read} || ')' as n"


class Project:
    """The models, built as dbt would, with failures and kills on request."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, target: Path) -> None:
        self.connection, self.target = connection, target
        self.code: dict[str, str] = {}
        self.left: set[str] = set()

    def begin(self, *, is_full: bool = False, only: str | None = None) -> Build:
        manifest = manifest_of(self.code)
        return begin_build(self.connection, self.target, manifest, is_full=is_full, only=only)

    def make(self, build: Build, *, failing: str = "", stop_after: int = 99) -> None:
        """Make what is not current; a test that fails keeps dbt from making what comes after.

        What reads nothing that comes out as other rows is left as it is, as `orchestration.builds.reuse`
        does it.
        """
        results: list[tuple[str, str]] = []
        broken: set[str] = set()
        self.left, unchanged = set[str](), set[str]()
        for name, read in READS.items():
            if ID[name] not in build.selected:
                continue
            if len(results) // 2 >= stop_after:
                return
            if broken & set(read):
                broken.add(name)
                results += [(ID[name], "skipped"), (f"test.rostrum.{name}", "skipped")]
                continue
            kept = {each for each in READS if ID[each] not in build.selected} | self.left
            is_made = ID[name] in build.made
            before = self.rows_of(name) if is_made else None
            if not (is_made and unchanged | kept >= set(read)):
                made = select_of(name, self.code)
                self.connection.execute(f"create or replace table marts.{name} as {made}")
            else:
                self.left.add(name)
            if is_made and before == self.rows_of(name):
                unchanged.add(name)
            is_tested = name not in unchanged or f"test.rostrum.{name}" not in build.made
            if name == failing and is_tested:
                broken.add(name)
            results += [
                (ID[name], "success"),
                (f"test.rostrum.{name}", "fail" if name in broken else "pass"),
            ]
        self.target.mkdir(exist_ok=True)
        listed = [{"unique_id": name, "status": status} for name, status in results]
        (self.target / audit.RUN_RESULTS).write_text(
            json.dumps({"metadata": {"invocation_id": "x"}, "results": listed})
        )

    def build(self, *, only: str | None = None, **how: Any) -> Audit:
        started = self.begin(only=only)
        if not started.is_current:
            self.make(started, **how)
        return finish_build(self.connection, started, self.target)

    def rows_of(self, name: str) -> list[Any]:
        return self.connection.execute(f"from marts.{name}").fetchall()

    def tables(self) -> dict[str, Any]:
        return {name: self.rows_of(name)[0][0] for name in READS}


@pytest.fixture
def project(connection: duckdb.DuckDBPyConnection, tmp_path: Path) -> Project:
    return Project(connection, tmp_path)


def changed(project: Project) -> set[str]:
    return {name for name in READS if ID[name] not in project.begin().current}


def test_only_what_reads_a_changed_table_or_model_is_made_again(project: Project) -> None:
    assert changed(project) == set(READS)
    assert project.build().problems == ""
    assert project.begin().is_current
    project.connection.execute("insert into raw.a values (2)")
    assert changed(project) == {"c", "e"}
    assert project.build().problems == ""
    project.code["d"] = "another"
    assert changed(project) == {"d", "e", "f", "g", "h"}
    assert project.build().problems == ""
    project.connection.execute("drop table marts.f")
    assert changed(project) == {"f"}
    assert set(project.begin(is_full=True).current) == set()


def test_tables_that_no_model_makes_any_more_are_dropped_once(project: Project) -> None:
    project.build()
    project.connection.execute(
        "create table marts.rpt_retired as select 1 as n; "
        "create view marts.int_retired as from marts.rpt_retired"
    )
    assert sorted(project.begin().retired) == ["int_retired", "rpt_retired"]
    project.connection.execute("from raw.a")
    with pytest.raises(duckdb.CatalogException):
        project.connection.execute("from marts.rpt_retired")
    assert project.begin().retired == []
    assert set(project.tables()) == set(READS)


def test_what_reads_a_table_that_came_out_as_it_was_is_left_as_it_is(project: Project) -> None:
    for row in range(LONG):
        project.connection.execute(f"insert into raw.b values ({row})")
    project.build()
    project.connection.execute("insert into raw.b values (1)")
    build = project.begin()
    assert {ID[name] for name in "defgh"} <= build.selected
    # d reads a raw table, whose change it cannot be told from.
    assert build.made & set(ID.values()) == {ID[name] for name in "efgh"}
    project.make(build)
    assert project.left == {"h"}
    assert finish_build(project.connection, build, project.target).problems == ""
    assert project.begin().is_current
    project.code["h"] = "another"
    assert ID["h"] not in project.begin().made


def test_rows_in_another_order_are_the_same_table_and_a_row_twice_is_not(project: Project) -> None:
    project.connection.execute("insert into raw.a values (2)")
    project.build()
    project.connection.execute("create or replace table raw.a as from raw.a order by n desc")
    assert project.begin().is_current
    project.connection.execute("insert into raw.a values (2)")
    assert not project.begin().is_current
    project.connection.execute("insert into raw.a values (2)")
    assert not project.begin().is_current


def test_a_build_of_one_subject_leaves_what_is_stale_of_others_and_what_reads_it(
    project: Project,
) -> None:
    project.build()
    before = project.tables()
    for table in "ab":
        project.connection.execute(f"insert into raw.{table} values (2)")
    found = project.build(only="debates")
    after = project.tables()
    assert {name for name in READS if after[name] != before[name]} == {"c"}
    assert found.problems == "not built: d, d, e, e, f, f, g, g and 2 more"
    # What it has made is not made again, and once nothing else is stale, what is shared is.
    assert changed(project) == {"d", "e", "f", "g", "h"}
    assert project.build(only="speeches").problems == ""
    assert project.begin().is_current


def test_a_build_of_a_subject_that_is_current_vouches_for_no_other(project: Project) -> None:
    project.build()
    project.connection.execute("insert into raw.a values (2)")
    assert project.begin(only="speeches").is_current
    assert project.build(only="speeches").problems == "not built: c, c, e, e"


def test_a_failed_test_is_tried_again_with_what_it_tests_and_what_was_skipped(
    project: Project,
) -> None:
    project.build()
    project.connection.execute("insert into raw.b values (2)")
    found = project.build(failing="d")
    assert "d" in found.problems
    assert found.passed_count < found.expected_count
    assert changed(project) == {"d", "e", "f", "g", "h"}
    assert project.build().problems == ""
    assert project.begin().is_current


def test_what_a_killed_build_left_half_is_made_again_even_after_the_data_went_back(
    project: Project,
) -> None:
    project.build()
    project.connection.execute("insert into raw.b values (2)")
    # The build makes d from the new rows and dies.
    project.make(project.begin(), stop_after=1)
    project.connection.execute("delete from raw.b where n = 2")
    assert {"d", "e", "f"} <= changed(project)
    assert project.build().problems == ""
    assert project.tables()["d"] == "d(1)"


def test_a_project_changed_during_the_build_is_not_vouched_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = project.begin()
    project.make(started)
    monkeypatch.setattr(audit, "project_hash", lambda *_: "edited")
    found = finish_build(project.connection, started, project.target)
    assert "changed meanwhile" in found.problems


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 10))]
)
def test_any_sequence_of_loads_edits_failures_and_kills_ends_as_a_full_build(
    project: Project, seed: int
) -> None:
    draw = random.Random(seed)
    for _ in range(40):
        match draw.randrange(8):
            case 0 | 1:
                table = draw.choice("ab")
                project.connection.execute(f"insert into raw.{table} values ({draw.randrange(3)})")
            case 2:
                table = draw.choice("ab")
                project.connection.execute(f"delete from raw.{table} where n = {draw.randrange(3)}")
            case 3:
                project.code[draw.choice("cdefgh")] = draw.choice(["", "x", "y"])
            case 4:
                project.make(project.begin(), stop_after=draw.randrange(4))
            case 5:
                project.build(failing=draw.choice("cdefgh"))
            case 6:
                project.build(only=draw.choice(["speeches", "debates"]))
            case _:
                project.build()
        if draw.random() < 0.3:
            found = project.build()
            assert (found.problems, found.passed_count) == ("", found.expected_count)
            tables = project.tables()
            project.make(project.begin(is_full=True))
            assert project.tables() == tables
            assert project.build().problems == ""
