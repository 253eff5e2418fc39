"""Runs in raw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.raw_tables import Counts, upsert

_TIME = pa.timestamp("us")
RUN_SCHEMA = pa.schema(
    {
        "run_id": pa.string(),
        "experiment": pa.string(),
        "judge_id": pa.string(),
        "origin": pa.string(),
        "settings_hash": pa.string(),
        "settings": pa.string(),
        "item_file": pa.string(),
        "planned": pa.int64(),
        "code_version": pa.string(),
        "parser_version": pa.string(),
        "started_at": _TIME,
        "ended_at": _TIME,
        "status": pa.string(),
    }
)


def write_runs(
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Mapping[str, Any]],
    *,
    source_file: str,
    now: datetime,
) -> Counts:
    """Write runs; those that are there and differ are updated.

    Args:
        connection: A writer's connection, in a transaction.
        runs: Rows of `raw.runs`.
        source_file: For `_source_file`.
        now: For `_loaded_at`.
    """
    staged = pa.Table.from_pylist([dict(row) for row in runs], schema=RUN_SCHEMA)
    return upsert(connection, "runs", ["run_id"], staged, source_file=source_file, now=now)
