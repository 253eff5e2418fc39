"""Made-up rows of the raw tables: a test names the columns it is about, others are filled in."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from warehouse.raw import PROVENANCE, append_rows
from warehouse.records.tables import TABLES, columns

NOW = "2026-01-01 00:00:00"
# What a column that may not be null holds in a row that does not name it.
USUAL = {
    "_loaded_at": NOW,
    "_source_file": "f",
    "answer_0": "a",
    "answer_1": "b",
    "answer_order": "01",
    "asked_for": "probability",
    "best_of": 1,
    "candidate": 0,
    "code_version": "v",
    "criterion": "c",
    "decided_by": "p",
    "drawn_at": NOW,
    "experiment": "e",
    "format": "f",
    "is_final": True,
    "is_interactive": False,
    "is_primary": True,
    "item_hash": "h",
    "made_at": NOW,
    "mode": "imported",
    "motion": "m",
    "outcome": "winner",
    "parse_status": "parsed",
    "probe": "none",
    "protocol": "debate",
    "question": "q",
    "refine_count": 0,
    "request_status": "answered",
    "run_id": "r",
    "sample": 0,
    "seed": 0,
    "settings": "{}",
    "settings_hash": "s",
    "source": "s",
    "step": 0,
    "template": "t",
    "text": "text",
    "text_hash": "h",
    "turn_order": "simultaneous",
    "word_count": 1,
    "wording": "equivalent",
}


@cache
def needed() -> dict[str, set[str]]:
    """Return the columns of each raw table that may not be null."""
    return {
        name: {column.name for column in columns(name) if not column.is_nullable}
        | {*table.hashed, *PROVENANCE}
        for name, table in TABLES.items()
    }


def insert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    rows: Iterable[Mapping[str, Any]],
    dataset: str = "d",
) -> None:
    """Add rows to a raw table; a column that a row does not name is null, or as `USUAL` if needed.

    Args:
        connection: A database with the raw tables.
        table: The table's name, without the schema.
        rows: The rows.
        dataset: The data set of rows that belong to one and do not say to which.
    """
    usual = {name: USUAL[name] for name in needed()[table] & USUAL.keys()}
    if "dataset_id" in needed()[table]:
        usual["dataset_id"] = dataset
    complete = [usual | row for row in rows]
    if complete:
        connection.register("arriving", _table(complete))
        append_rows(connection, table, "from arriving")
        connection.unregister("arriving")


def fill(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Add rows to any table; columns a row does not name are null."""
    if rows:
        arriving = _table(rows)  # noqa: F841
        connection.execute(f"insert into {table} by name from arriving")


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: [row.get(name) for row in rows] for name in names})


def outcome(value: float | None, failure: str | None) -> dict[str, str | None]:
    """Return the columns of `raw.scores` that say what happened to a request."""
    if (
        value is None
        and failure is not None
        and failure not in ("refused", "filtered", "truncated")
    ):
        return {"request_status": "error", "error_kind": failure, "parse_status": "not_answered"}
    return {
        "request_status": "answered",
        "response": "r",
        "parse_status": "parsed" if value is not None else "unparsed",
        "parse_reason": None if value is not None else failure or "no_score_tag",
    }
