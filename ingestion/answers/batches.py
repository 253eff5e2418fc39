"""Rows of answers as Arrow batches, as they are staged on their way into a raw table."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pyarrow as pa

from ingestion.json_values import as_json, storable
from warehouse.records.tables import arrow_schema

# The line of the file: a later row may replace an earlier one.
LINE_NUMBER = "line_number"


@cache
def staged_schema(table: str) -> pa.Schema:
    """Return the columns of staged rows: those of the raw table, and the line of the file."""
    return arrow_schema(table).append(pa.field(LINE_NUMBER, pa.int64()))


def batch_of(table: str, rows: Sequence[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return rows as one batch; a column a row does not have is null.

    Args:
        table: A table of `raw_tables`, or one of its parts.
        rows: Its rows, without provenance, each with its `line_number`. Lists and objects become
            JSON.
    """
    schema = staged_schema(table)
    if "part" in schema.names:
        rows = [{**row, "part": row.get("part") or 0} for row in rows]
    try:
        return pa.RecordBatch.from_struct_array(pa.array(rows, pa.struct(schema)))
    except (TypeError, ValueError):
        columns = [_column([row.get(one.name) for row in rows], one.type) for one in schema]
        return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (TypeError, ValueError):
        # Only values that Arrow refuses as they are are looked at.
        return pa.array([_stored(value) for value in values], kind)


def _stored(value: Any) -> Any:
    """Return a value as its column holds it: lists and objects are JSON, texts have no halves."""
    if isinstance(value, str):
        return storable(value)
    return as_json(value) if isinstance(value, dict | list) else value
