"""Migrations: forward only, once each, whole or not at all."""

from datetime import date, datetime

import duckdb
import pytest

from warehouse import raw, schema
from warehouse.errors import SchemaTooNew
from warehouse.home import Home
from warehouse.raw import append_rows, raw_tables
from warehouse.records.tables import SHARED
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
    # That each table agrees with its record is tested with the records.
    assert names == set(raw_tables())
    assert schema_version(connection) == len(MIGRATIONS)


def test_migrating_twice_changes_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    append_rows(
        connection,
        "ensembles",
        "select 'e' as ensemble, 'rule/a' as judge_id, 'x' as _source_file, "
        "now()::timestamp as _loaded_at",
    )
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


_SAMPLE_VALUES = {
    "VARCHAR": "a text",
    "BOOLEAN": True,
    "INTEGER": 3,
    "BIGINT": 2**40,
    "DOUBLE": 0.1,
    "TIMESTAMP": datetime(2026, 1, 2, 3, 4, 5, 6),
    "DATE": date(2026, 1, 2),
}


def _migrated(connection: duckdb.DuckDBPyConnection, released: int) -> None:
    """Make a database as the release with so many migrations left it."""
    connection.execute("create table main.schema_version (version integer, migrated_at timestamp)")
    for version, statements in enumerate(MIGRATIONS[:released], start=1):
        connection.execute(statements)
        connection.execute("insert into main.schema_version values (?, ?)", [version, utc_now()])


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Return every table that migrations make, with the types of its columns."""
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in connection.execute(
        "select schema_name || '.' || table_name, column_name, data_type from duckdb_columns() "
        "where schema_name in ('raw', 'audit') order by all"
    ).fetchall():
        found.setdefault(table, {})[column] = kind
    return found


@pytest.fixture(scope="module")
def newest() -> dict[str, dict[str, str]]:
    """The columns of a database that is new."""
    with duckdb.connect() as connection:
        migrate(connection)
        return _columns(connection)


@pytest.mark.parametrize("released", range(1, len(MIGRATIONS)))
def test_a_released_version_ends_with_all_its_rows_and_the_schema_of_a_new_one(
    connection: duckdb.DuckDBPyConnection,
    newest: dict[str, dict[str, str]],
    released: int,
) -> None:
    _migrated(connection, released)
    before = _columns(connection)
    for table, columns in before.items():
        connection.execute(
            f"insert into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})",
            [_SAMPLE_VALUES[kind] for kind in columns.values()],
        )
    assert schema_version(connection) == released
    migrate(connection)
    assert schema_version(connection) == len(MIGRATIONS)
    after = _columns(connection)
    assert after == newest
    for table, columns in after.items():
        if table.removeprefix("raw.") in SHARED:
            continue
        cursor = connection.execute(f"from {table}")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        old = before.get(table)
        expected = old and {
            name: _SAMPLE_VALUES[old[name]] if name in old else None for name in columns
        }
        if expected and table == "raw.scores" and "part" not in before[table]:
            # Replies had one score each then.
            expected["part"] = 0
        assert rows == ([expected] if expected else []), table


_GOOD = "create table raw.good (n integer)"
_BROKEN = "create table raw.half (n integer); create table raw.loads (n integer)"


def test_a_migration_that_fails_leaves_the_version_before_it(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(connection)
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, _GOOD, _BROKEN))
    with pytest.raises(duckdb.CatalogException):
        migrate(connection)
    assert schema_version(connection) == len(MIGRATIONS) + 1
    assert ("raw", "good") in _tables(connection)
    assert ("raw", "half") not in _tables(connection)


def test_a_new_database_whose_schema_fails_stays_empty(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw, "create_tables", lambda: f"create schema raw; {_BROKEN}; {_BROKEN};")
    with pytest.raises(duckdb.CatalogException):
        migrate(connection)
    assert schema_version(connection) == 0
    assert _tables(connection) == [("main", "schema_version")]


def test_the_load_id_counts_from_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    assert raw_load_id(connection) == 0
    connection.execute(
        "insert into raw.loads values (7, 'k', 's', 'f', null, 0, 0, 0, 0, now()::timestamp)"
    )
    assert raw_load_id(connection) == 7
