"""The records and the raw tables have the same columns, of the same types."""

from datetime import date, datetime

import duckdb
import pytest

from warehouse.records.core import Int
from warehouse.records.tables import TABLES, columns
from warehouse.schema import migrate

STORED = {
    str: "VARCHAR",
    bool: "BOOLEAN",
    float: "DOUBLE",
    int: "BIGINT",
    Int: "INTEGER",
    date: "DATE",
    datetime: "TIMESTAMP",
}


@pytest.fixture(scope="module")
def stored() -> dict[str, dict[str, tuple[str, bool]]]:
    """Each raw table's columns, with their types and whether null is allowed."""
    with duckdb.connect() as connection:
        migrate(connection)
        rows = connection.execute(
            "select table_name, column_name, data_type, is_nullable from duckdb_columns() "
            "where schema_name = 'raw' and column_name not in ('_source_file', '_loaded_at')"
        ).fetchall()
    found: dict[str, dict[str, tuple[str, bool]]] = {}
    for table, name, kind, is_nullable in rows:
        found.setdefault(table, {})[name] = (kind, is_nullable)
    return found


@pytest.mark.parametrize("table", TABLES)
def test_a_record_and_its_table_agree(
    stored: dict[str, dict[str, tuple[str, bool]]], table: str
) -> None:
    is_view = bool(TABLES[table].places)
    brought = {
        each.name: "BIGINT" if is_view and each.kind is Int else STORED[each.kind]
        for each in columns(table)
    }
    hashed = dict.fromkeys(TABLES[table].hashed, "VARCHAR")
    assert {name: kind for name, (kind, _) in stored[table].items()} == brought | hashed
    assert set(TABLES[table].key) <= set(brought)
