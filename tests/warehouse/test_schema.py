"""Migrations: forward only, once each, whole or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from warehouse import schema
from warehouse.errors import SchemaTooNew
from warehouse.home import Home
from warehouse.schema import MIGRATIONS, migrate, raw_load_id, schema_version, utc_now
from warehouse.writer import open_writer


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def _tables(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return connection.execute(
        "select schema_name, table_name from duckdb_tables() order by all"
    ).fetchall()


def test_an_empty_database_gets_every_table(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    names = {name for schema_name, name in _tables(connection) if schema_name == "raw"}
    assert names == {
        "datasets", "dimensions", "debates", "speeches", "human_ratings", "judges", "ensembles",
        "runs", "scores", "quarantine", "loads", "verdicts", "label_probabilities",
    }  # fmt: skip
    assert schema_version(connection) == len(MIGRATIONS)


def test_migrating_twice_changes_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    connection.execute("insert into raw.ensembles values ('e', 'rule/a', 'x', now()::timestamp)")
    before = _tables(connection), connection.execute("from main.schema_version").fetchall()
    migrate(connection)
    after = _tables(connection), connection.execute("from main.schema_version").fetchall()
    assert after == before
    assert connection.execute("select count(*) from raw.ensembles").fetchone() == (1,)


def test_every_raw_table_of_data_says_where_and_when(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    migrate(connection)
    without = connection.execute(
        "select table_name from duckdb_tables() where schema_name = 'raw' "
        "and table_name not in ('quarantine', 'loads') except "
        "select table_name from duckdb_columns() where column_name in ('_source_file', '_loaded_at') "
        "and not is_nullable group by table_name having count(*) = 2"
    ).fetchall()
    assert without == []


def test_a_database_of_a_later_version_is_refused_and_left_alone(home: Home) -> None:
    with open_writer(home, "test") as connection:
        connection.execute(
            "insert into main.schema_version values (?, ?)", [len(MIGRATIONS) + 1, utc_now()]
        )
    message = f"has schema version {len(MIGRATIONS) + 1}, this Rostrum knows {len(MIGRATIONS)}"
    with pytest.raises(SchemaTooNew, match=message), open_writer(home, "test"):
        pass


def test_a_new_migration_is_applied_to_an_old_database(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(connection)
    more = (
        *MIGRATIONS,
        "create table raw.later (n integer)",
        "alter table raw.later add m int",
    )
    monkeypatch.setattr(schema, "MIGRATIONS", more)
    migrate(connection)
    assert schema_version(connection) == len(more)
    assert connection.execute("select n, m from raw.later").fetchall() == []


def test_a_migration_that_fails_leaves_the_version_before_it(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = (*MIGRATIONS, "create table raw.half (n integer); create table raw.loads (n integer)")
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    with pytest.raises(duckdb.CatalogException):
        migrate(connection)
    assert schema_version(connection) == len(MIGRATIONS)
    assert ("raw", "half") not in _tables(connection)


def test_the_load_id_counts_from_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    assert raw_load_id(connection) == 0
    connection.execute(
        "insert into raw.loads values (7, 'k', 's', 'f', null, 0, 0, 0, 0, now()::timestamp)"
    )
    assert raw_load_id(connection) == 7


def test_now_is_utc_without_a_zone() -> None:
    assert utc_now().tzinfo is None
    assert abs(utc_now() - datetime.now(UTC).replace(tzinfo=None)) < timedelta(seconds=5)
