"""SQL of the raw tables: their DDL, the typed views over shared ones, and writing through them.

A record with a place in a shared table (`records.tables`) is read by the view `raw.<name>`, with a
column for each of its fields. Rows in the shape of the view are written to the shared table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from warehouse.records.core import Int
from warehouse.records.tables import (
    SHARED,
    TABLES,
    Column,
    Place,
    Values,
    columns,
    plain_columns,
    shared_columns,
)

if TYPE_CHECKING:
    import duckdb

PROVENANCE = ("_source_file", "_loaded_at")
# Tables of the loader's own, whose rows no source brings.
PLAIN = ("quarantine", "loads")
_TYPES: dict[Any, str] = {
    str: "varchar",
    bool: "boolean",
    float: "double",
    int: "bigint",
    Int: "integer",
    date: "date",
    datetime: "timestamp",
}
_ON_RESPONSE = ("run_id", "request_id", "part")


def create_tables() -> str:
    """DDL of every raw table, for a new database."""
    return "create schema raw;\n" + "".join(table_ddl(name) for name in raw_tables())


def raw_tables() -> list[str]:
    """Names of the raw tables, typed views left out."""
    return [name for name, table in TABLES.items() if not table.places] + [*SHARED, *PLAIN]


def table_ddl(name: str) -> str:
    """DDL of one raw table."""
    found = shared_columns(name) if name in SHARED else plain_columns(name)
    lines = [
        f"{column.name} {_TYPES[column.kind]}{'' if column.is_nullable else ' not null'}"
        for column in found
    ]
    if name != "loads":
        if name != "quarantine":
            lines.append("_source_file varchar not null")
        lines.append("_loaded_at timestamp not null")
    return f"create table raw.{name} (\n    " + ",\n    ".join(lines) + "\n);\n"


def create_views() -> str:
    """DDL of the typed views."""
    return "".join(
        f"create or replace view raw.{name} as {select_rows(name)};\n"
        for name, table in TABLES.items()
        if table.places
    )


def column_names(name: str) -> list[str]:
    """Columns of a record's rows, those that are hashed included, provenance left out."""
    return [each.name for each in _all_columns(name)]


def select_rows(name: str, where: str = "true") -> str:
    """Return the query of a record's rows, typed, with their provenance.

    Args:
        where: A condition on columns that rows and values share, such as `run_id`.
    """
    table = TABLES[name]
    if not table.places:
        return f"select * from raw.{name} where {where}"
    return " union all by name ".join(_select(name, place, where) for place in table.places)


def _select(name: str, place: Place, where: str) -> str:
    values = TABLES[name].values
    chosen = [
        _stored_at(values.place, column, "found")
        if values is not None and column.name in values.fields
        else _stored_at(place, column, "present")
        for column in _all_columns(name)
    ]
    named = [
        f"{stored} as {column.name}"
        for stored, column in zip(chosen, _all_columns(name), strict=True)
    ]
    source = _typed(name, place, where, "present")
    if values is not None:
        same = " and ".join(f"found.{one} = present.{one}" for one in _ON_RESPONSE)
        source += f" left join {_typed(name, values.place, where, 'found')} on {same}"
    provenance = ", ".join(f"present.{column}" for column in PROVENANCE)
    return f"select {', '.join(named)}, {provenance} from {source}"


def _typed(name: str, place: Place, where: str, alias: str) -> str:
    fields = {each.name: _shown_type(each).upper() for each in _facts(name, place)}
    typed = f", from_json(facts, '{json.dumps(fields)}') as typed" if fields else ""
    return (
        f"(select *{typed} from raw.{place.table} "
        f"where kind = '{place.kind}' and ({where})) as {alias}"
    )


def _stored_at(place: Place, column: Column, alias: str) -> str:
    """Return the expression of a column over a shared table."""
    stored = _shared(place, column)
    if stored is None:
        return f"{alias}.typed.{column.name}"
    cast = "" if _TYPES[stored.kind] == _shown_type(column) else f"::{_shown_type(column)}"
    return f"{alias}.{stored.name}{cast}"


def _shown_type(column: Column) -> str:
    """Return the type of a view's column: whole numbers are bigint, whatever stores them."""
    return "bigint" if column.kind is Int else _TYPES[column.kind]


def insert_rows(name: str, source: str, provenance: Sequence[str] = PROVENANCE) -> list[str]:
    """Return the statements that insert typed rows.

    Args:
        source: A relation with the columns of the record.
        provenance: Expressions of the file and the time.
    """
    table = TABLES[name]
    if not table.places:
        names = ", ".join((*column_names(name), *PROVENANCE))
        chosen = ", ".join((*column_names(name), *provenance))
        return [f"insert into raw.{name} ({names}) select {chosen} from {source}"]
    if table.numbered_by:
        source = (
            "(select *, row_number() over (partition by run_id, request_id "
            f"order by {table.numbered_by}) - 1 as part from {source})"
        )
    statements = [_insert(name, place, source, provenance, place.when) for place in table.places]
    if table.values is not None:
        has_value = " or ".join(f"{field} is not null" for field in table.values.fields)
        statements.append(_insert(name, table.values.place, source, provenance, has_value))
    return statements


def _insert(name: str, place: Place, source: str, provenance: Sequence[str], where: str) -> str:
    stored = {
        target.name: (column, target)
        for column in _columns_at(name, place)
        if (target := _shared(place, column)) is not None
    }
    values = {"kind": f"'{place.kind}'"}
    for shared in shared_columns(place.table):
        if shared.name in stored:
            column, target = stored[shared.name]
            cast = "" if target.kind == column.kind else f"::{_TYPES[target.kind]}"
            values[shared.name] = f"{column.name}{cast}"
        elif shared.name in _ON_RESPONSE or shared.name == "dataset_id":
            there = {each.name for each in _all_columns(name)}
            if shared.name in there:
                values[shared.name] = shared.name
            elif shared.name == "part":
                values["part"] = "part" if TABLES[name].numbered_by else "0"
    if "part" in values:
        values["part"] = f"coalesce({values['part']}, 0)"
    values |= {target: field for field, target in place.copied.items()}
    facts = _facts(name, place)
    if facts:
        pairs = ", ".join(f"'{each.name}', {_as_fact(each)}" for each in facts)
        values["facts"] = f"json_merge_patch('{{}}', json_object({pairs}))::varchar"
    names = ", ".join((*values, *PROVENANCE))
    chosen = ", ".join((*values.values(), *provenance))
    condition = f" where {where}" if where else ""
    return f"insert into raw.{place.table} ({names}) select {chosen} from {source}{condition}"


def _as_fact(column: Column) -> str:
    if column.kind is not float:
        return column.name
    # JSON has no infinities; a text is read back as one.
    return (
        f"case when isfinite({column.name}) then to_json({column.name}) "
        f"else to_json({column.name}::varchar) end"
    )


def delete_rows(name: str, source: str) -> list[str]:
    """Return the statements that delete the rows whose key a relation has.

    Args:
        source: A relation with the key's columns.
    """
    table = TABLES[name]
    key = [column for column in _all_columns(name) if column.name in table.key]
    if not table.places:
        same = " and ".join(f"gone.{each.name} = present.{each.name}" for each in key)
        return [
            f"delete from raw.{name} as present where exists (from {source} as gone where {same})"
        ]
    statements = []
    for place in table.places:
        same = " and ".join(f"gone.{each.name} = {_unparsed(place, each)}" for each in key)
        statements.append(
            f"delete from raw.{place.table} as present where kind = '{place.kind}' "
            f"and exists (from {source} as gone where {same})"
        )
    if table.values is None:
        return statements
    row = " and ".join(f"present.{column} = valued.{column}" for column in _ON_RESPONSE)
    of_values = (
        f"delete from raw.response_values as valued where kind = '{table.values.place.kind}' and "
        f"exists (from raw.responses as present, {source} as gone "
        f"where present.kind = '{table.places[0].kind}' and {row} and {same})"
    )
    return [of_values, *statements]


def append_rows(
    connection: duckdb.DuckDBPyConnection, name: str, query: str, parameters: object = None
) -> None:
    """Insert rows that a query returns by name; columns that it lacks are null."""
    connection.execute(f"create or replace temp table appended as from raw.{name} limit 0")
    connection.execute(f"insert into appended by name {query}", parameters)
    for statement in insert_rows(name, "appended"):
        connection.execute(statement)
    connection.execute("drop table appended")


def delete_runs(name: str) -> list[str]:
    """Return the statements that delete all of some runs' rows, given the list of runs."""
    table = TABLES[name]
    places = [*table.places] + ([table.values.place] if table.values else [])
    return [
        f"delete from raw.{place.table} where kind = '{place.kind}' and list_contains(?, run_id)"
        for place in places
    ]


def _unparsed(place: Place, column: Column) -> str:
    """Return the expression of a column over a shared table without the parsed facts."""
    if _shared(place, column) is not None:
        return _stored_at(place, column, "present")
    return f"(present.facts::json ->> '{column.name}')::{_TYPES[column.kind]}"


@cache
def _all_columns(name: str) -> tuple[Column, ...]:
    hashed = tuple(Column(each, str, False) for each in TABLES[name].hashed)
    return (*columns(name), *hashed)


def _is_value(values: Values | None, column: Column) -> bool:
    return values is not None and column.name in values.fields


def _columns_at(name: str, place: Place) -> list[Column]:
    """Return the columns of a record that lie in a place."""
    values = TABLES[name].values
    is_values = values is not None and place == values.place
    return [each for each in _all_columns(name) if _is_value(values, each) == is_values]


def _facts(name: str, place: Place) -> list[Column]:
    return [each for each in _columns_at(name, place) if _shared(place, each) is None]


def _shared(place: Place, column: Column) -> Column | None:
    """Return the column of a shared table that holds a field; None where it is a fact."""
    target = place.named.get(column.name)
    if target is None:
        taken = {*place.named.values(), *place.copied.values(), "kind", "facts"}
        if column.name in place.facts or column.name in taken:
            return None
        target = column.name
    found = {each.name: each for each in shared_columns(place.table)}
    return found.get(target)
