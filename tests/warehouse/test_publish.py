"""Write, audit, publish: nobody ever sees a half-built or failing warehouse."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import duckdb
import pytest

from warehouse.audit import Build, begin_build, finish_build
from warehouse.catalogue import read_catalogue
from warehouse.errors import NotEnoughSpace, NothingPublished, PublishRefused, VersionGone
from warehouse.home import Home
from warehouse.publish import VERSIONS_KEPT, publish
from warehouse.reader import Version, connect, current_version, published_versions, run_query
from warehouse.writer import open_writer

MODEL = "model.rostrum.rpt_thing"
TEST = "test.rostrum.holds_rpt_thing.1"
UNIT = "unit_test.rostrum.rpt_thing.adds_up"


def manifest_of(value: int) -> dict[str, Any]:
    """A project of one model and two tests, one of them not asked for in a build."""
    model = {"resource_type": "model", "schema": "marts"}
    nodes = {
        MODEL: model | {"name": "rpt_thing", "description": "One row per 'thing'."},
        TEST: {"resource_type": "test", "depends_on": {"nodes": [MODEL]}},
        "model.rostrum.off": model
        | {"name": "off", "description": "", "config": {"enabled": False}},
    }
    nodes[MODEL]["raw_code"] = f"select {value} as n"
    for name, node in nodes.items():
        node["unique_id"] = name
    return {"nodes": nodes, "unit_tests": {UNIT: {"unique_id": UNIT, "resource_type": "unit_test"}}}


def write_dbt_target(
    target: Path,
    manifest: dict[str, Any],
    statuses: dict[str, str],
    code: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write what dbt leaves behind: the project, and how its nodes went."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "manifest.json").write_text(json.dumps(manifest))
    results = [
        {"unique_id": name, "status": status, "compiled_code": code.get(name)}
        for name, status in statuses.items()
    ]
    (target / "run_results.json").write_text(
        json.dumps({"metadata": {"invocation_id": "same"}, "results": results})
    )


PASSED = {MODEL: "success", TEST: "pass"}


def build(
    home: Home,
    value: int = 1,
    statuses: dict[str, str] = PASSED,
    code: Mapping[str, str] = MappingProxyType({}),
) -> Build:
    """Stand in for a dbt build: one mart, and its audit row."""
    manifest = manifest_of(value)
    with open_writer(home, "test") as connection:
        started = begin_build(connection, home.dbt_target, manifest)
        connection.execute("create schema if not exists marts")
        connection.execute(f"create or replace table marts.rpt_thing as select {value} as n")
        connection.execute("create or replace table marts.scratch as select 1 as secret")
        write_dbt_target(home.dbt_target, manifest, statuses, code)
        finish_build(connection, started, home.dbt_target)
    return started


def published(home: Home, value: int = 1) -> Version:
    """Build, and publish what was built."""
    build(home, value)
    return publish(home, code_version="1")


def test_a_passed_build_is_published_with_its_descriptions_and_nothing_else(home: Home) -> None:
    build(home, 7)
    with open_writer(home, "test") as connection:
        connection.execute("alter table marts.rpt_thing add column judge_id varchar default 'a/b'")
    version = publish(home, code_version="1.2.3")
    assert current_version(home) == version or current_version(home).name == version.name
    assert run_query(version, "from rpt_thing").rows == [(7, "a/b")]
    tables = [row[0] for row in run_query(version, "select table_name from duckdb_tables()").rows]
    assert sorted(tables) == ["publication", "rpt_thing"]
    comments = run_query(
        version,
        "select comment from duckdb_columns() where table_name = 'rpt_thing'",
    )
    meaning = read_catalogue().meaning("rpt_thing", "judge_id")
    assert meaning
    assert comments.rows == [(None,), (meaning,)]
    assert run_query(version, "select version, code_version from publication").rows == [
        (version.name, "1.2.3")
    ]


def publish_marts(home: Home, **numbers: int) -> dict[str, list[Any]]:
    """Publish marts of one number each, and return what a reader finds in each."""
    build(home)
    with open_writer(home, "test") as connection:
        connection.execute("drop schema marts cascade; create schema marts")
        for name, number in numbers.items():
            connection.execute(f"create table marts.{name} as select {number} as n")
    version = publish(home, code_version="1")
    tables = run_query(
        version, "select table_name from duckdb_tables() where table_name like 'rpt%'"
    ).rows
    return {name: run_query(version, f"from {name}").rows for (name,) in tables}


def test_a_version_after_another_has_all_marts_as_they_are_now(home: Home) -> None:
    publish_marts(home, rpt_thing=1, rpt_other=2, rpt_gone=3)
    assert publish_marts(home, rpt_thing=1, rpt_other=4, rpt_new=5) == {
        "rpt_thing": [(1,)],
        "rpt_other": [(4,)],
        "rpt_new": [(5,)],
    }
    # What stays keeps its description.
    about = run_query(
        current_version(home),
        "select comment from duckdb_tables() where table_name = 'rpt_thing'",
    )
    assert about.rows == [("One row per 'thing'.",)]


def test_a_version_after_a_damaged_one_is_whole(home: Home) -> None:
    publish_marts(home, rpt_thing=1, rpt_other=2)
    path = current_version(home).path
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:5000])
    with open_writer(home, "test") as connection:
        connection.execute("create or replace table marts.rpt_other as select 6 as n")
    # There is nothing to compare its estimates with.
    version = publish(home, code_version="1")
    assert run_query(version, "from rpt_other").rows == [(6,)]
    assert run_query(version, "from rpt_thing").rows == [(1,)]


class Refusal(NamedTuple):
    statuses: dict[str, str]
    says: str


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal({MODEL: "success", TEST: "fail"}, "failed or skipped: holds_rpt_thing.1$"),
        Refusal({MODEL: "error", TEST: "skipped"}, "rpt_thing"),
        Refusal({MODEL: "success"}, "not built: holds_rpt_thing.1$"),
        Refusal({}, "not built"),
    ],
    ids=["a test failed", "a model failed", "a test did not run", "nothing ran"],
)
def test_a_build_that_is_not_whole_is_refused_by_name(home: Home, refusal: Refusal) -> None:
    first = published(home, 1)
    build(home, 2, refusal.statuses)
    with pytest.raises(PublishRefused, match=refusal.says):
        publish(home, code_version="1")
    assert run_query(current_version(home), "from rpt_thing").rows == [(1,)]
    assert current_version(home).name == first.name


def test_a_broken_rule_is_named_with_its_model_and_one_of_its_rows(home: Home) -> None:
    rows = "(values ('n <= 1', 'id=4'), ('n <= 1', 'id=3'), ('id is unique', 'id=2'))"
    query = f"select 'rpt_thing' as model, rule, row_key from {rows} as rows (rule, row_key)"
    build(home, 1, {MODEL: "success", TEST: "fail"}, {TEST: query})
    said = (
        "broken: rpt_thing: id is unique (1 row, such as id=2), "
        "rpt_thing: n <= 1 (2 rows, such as id=3)"
    )
    with pytest.raises(PublishRefused, match=f"{re.escape(said)}$"):
        publish(home, code_version="1")


@pytest.mark.parametrize("query", ["select 1 as n", "from a_table_that_is_gone"])
def test_a_failed_test_whose_rows_name_no_rule_is_named_itself(home: Home, query: str) -> None:
    build(home, 1, {MODEL: "success", TEST: "fail"}, {TEST: query})
    with pytest.raises(PublishRefused, match=r"failed or skipped: holds_rpt_thing.1$"):
        publish(home, code_version="1")


def test_a_build_cut_short_is_refused(home: Home) -> None:
    build(home)
    with open_writer(home, "test") as connection:
        begin_build(connection, home.dbt_target, manifest_of(1))
    with pytest.raises(PublishRefused, match="did not finish"):
        publish(home, code_version="1")


def test_what_an_earlier_dbt_wrote_does_not_vouch_for_one_that_died_at_its_start(
    home: Home,
) -> None:
    build(home)
    with open_writer(home, "test") as connection:
        started = begin_build(connection, home.dbt_target, manifest_of(2))
        finish_build(connection, started, home.dbt_target)
    with pytest.raises(PublishRefused, match="dbt ended without a readable account"):
        publish(home, code_version="1")


def test_data_loaded_since_the_build_are_named(home: Home) -> None:
    build(home)
    with open_writer(home, "test") as connection:
        connection.execute(
            "insert into raw.loads values (5, 'dataset', 's', 'f', null, 1, 0, 0, 0, "
            "timestamp '2026-01-01')"
        )
    with pytest.raises(PublishRefused, match=r"data were loaded after build 1 \(load 5"):
        publish(home, code_version="1")


def test_nothing_built_and_nothing_published_say_what_to_do(home: Home) -> None:
    with pytest.raises(PublishRefused, match="rostrum build"):
        publish(home, code_version="1")
    with pytest.raises(NothingPublished, match="rostrum demo"):
        current_version(home)


def test_old_versions_are_pruned_and_open_readers_keep_theirs(home: Home) -> None:
    first = published(home, 0)
    reader = connect(first)
    for value in range(1, VERSIONS_KEPT + 2):
        published(home, value)
    names = [version.name for version in published_versions(home)]
    assert len(names) == VERSIONS_KEPT
    assert first.name not in names
    assert reader.execute("from rpt_thing").fetchall() == [(0,)]
    assert run_query(current_version(home), "from rpt_thing").rows == [(VERSIONS_KEPT + 1,)]
    reader.close()
    with pytest.raises(VersionGone, match="pruned"):
        connect(first)


def test_too_little_space_is_said_before_anything_is_written(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(home, 1)
    build(home, 2)
    usage = shutil.disk_usage(home.root)._replace(free=1000)
    monkeypatch.setattr("warehouse.publish.shutil.disk_usage", lambda _: usage)
    with pytest.raises(NotEnoughSpace, match="free some space"):
        publish(home, code_version="1")
    assert run_query(current_version(home), "from rpt_thing").rows == [(1,)]


def test_leftovers_of_a_killed_publish_are_removed(home: Home) -> None:
    build(home)
    (home.published / ".v000009-20260101T000000Z.part").write_bytes(b"half a file")
    os.symlink("nowhere", home.published / ".current.part")
    publish(home, code_version="1")
    assert [path.name for path in home.published.glob(".*")] == []


# Statements by which a reader would write or leave the version.
STOLEN = [
    "create table stolen as select 1",
    "insert into rpt_thing values (2)",
    "drop table rpt_thing",
    "copy rpt_thing to 'out.csv'",
    "copy rpt_thing to '/tmp/rostrum_out.parquet'",
    "from read_csv('/etc/passwd')",
    "from read_text('/etc/passwd')",
    "from '/etc/passwd'",
    "from glob('/*')",
    "attach '/tmp/rostrum_other.duckdb' as other",
    "export database '/tmp/rostrum_export'",
    "install httpfs",
    "load httpfs",
    "set enable_external_access = true",
    "set memory_limit = '100GB'",
    "set lock_configuration = false",
    "select getenv('HOME')",
]


@pytest.mark.parametrize("sql", STOLEN)
def test_a_reader_can_neither_write_nor_leave_the_file(
    home: Home, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from warehouse.errors import QueryFailed

    monkeypatch.chdir(tmp_path)
    version = published(home)
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(QueryFailed):
        run_query(version, sql)
    assert sorted(os.listdir(tmp_path)) == before
    assert run_query(version, "from rpt_thing").rows == [(1,)]


def test_what_killed_readers_left_beside_versions_goes_and_what_live_ones_use_stays(
    home: Home,
) -> None:
    version = published(home)
    spilled = version.path.with_name(f"{version.path.name}.tmp")
    pruned = version.path.with_name("v000000-20260101T000000Z.duckdb.tmp")
    for folder in (spilled, pruned):
        folder.mkdir()
        (folder / "duckdb_temp_block-1.block").write_bytes(b"x")
    version.path.with_name(f"{version.path.name}.wal").write_bytes(b"x")
    reader = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import duckdb, time; c = duckdb.connect({str(version.path)!r}, read_only=True); "
            "print('open', flush=True); time.sleep(600)",
        ],
        stdout=subprocess.PIPE,
    )
    assert reader.stdout is not None
    reader.stdout.readline()
    published(home, 2)
    left = {path.name for path in home.published.iterdir() if path.suffix != ".duckdb"}
    assert left == {"current", spilled.name}
    reader.kill()
    reader.communicate()
    published(home, 3)
    left = {path.name for path in home.published.iterdir() if path.suffix != ".duckdb"}
    assert left == {"current"}


def test_a_published_file_holds_every_row_without_a_log_beside_it(home: Home) -> None:
    version = published(home)
    copied = home.root / "copied.duckdb"
    shutil.copy(version.path, copied)
    assert not list(home.published.glob("*.wal"))
    with duckdb.connect(str(copied), read_only=True) as connection:
        assert connection.execute("from rpt_thing").fetchall() == [(1,)]
