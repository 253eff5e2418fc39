"""How many threads DuckDB has for a build."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# DuckDB hands a table out to threads by row groups of so many rows.
ROW_GROUP = 122_880


def threads_of(connection: duckdb.DuckDBPyConnection) -> int:
    """Return how many threads are worth while for what is loaded: one for each row group.

    A thread without a row group looks for one all the time: a full build of the demo, whose tables
    have one each, takes 55 s of processor time with two threads and 44 s with one.

    Args:
        connection: To a file with raw tables.
    """
    found = connection.execute(
        "select max(estimated_size) from duckdb_tables() where schema_name = 'raw'"
    ).fetchone()
    rows = (found and found[0]) or 0
    return min(os.cpu_count() or 1, 1 + rows // ROW_GROUP)
