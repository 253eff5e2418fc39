"""The loader: whatever a source made goes into raw in one transaction, or nothing of it does.

A batch says which rows of which tables it has, in the order of loading, and which rows that are
there already they take the place of. Everything else is the same for every source.
"""

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import duckdb

from ingestion.batch import MAX_REJECTED, Counts, Loadable, Rows, Step, refuse_too_many
from ingestion.errors import explained_when_full
from ingestion.items import export_items
from ingestion.landing import remove_unloaded
from ingestion.raw_tables import (
    LoadReport,
    as_arrow,
    record_load,
    registered,
    remove_rows,
    upsert_from,
)
from ingestion.speeches.written import update_items
from warehouse.home import Home
from warehouse.records.tables import TABLES
from warehouse.safe_text import sql_text
from warehouse.schema import one_transaction, utc_now
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer


def load(
    home: Home,
    batch: Loadable,
    *,
    max_rejected: float = MAX_REJECTED,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a batch, then write its data set's item files.

    An item whose text changed gets a new hash. A load that changes nothing leaves no trace, but for
    item files that are missing, which it writes.

    Args:
        home: The home to load into.
        batch: What a source made.
        max_rejected: The largest share of rejected records, per file.

    Raises:
        SourceUnreadable: The source breaks off, or does not fit what is there; nothing is loaded.
        TooManyRejected: The share is larger; nothing is loaded.
        NoSpace: The disk is full.
    """
    started = time.monotonic()
    with explained_when_full(f"loading {batch.source}", home.build_db), batch.read(home) as read:
        refuse_too_many(read.files, read.rejects, max_rejected)
        with open_writer(home, read.task, notify=notify) as connection:
            remove_unloaded(home, connection)
            found = read.checked(connection)
            refuse_too_many(found.files, found.rejects, max_rejected)
            now = utc_now()
            with one_transaction(connection):
                tables = write(connection, found, now)
                if found.items_of is not None:
                    written = update_items(connection, now, found.items_of)
                    if written.new or written.updated:
                        tables["speeches"] = tables.get("speeches", Counts()) + written
                load_id = record_load(
                    connection, found.kind, found.source, found.files, tables, found.rejects, now
                )
            if found.items_of is not None:
                export_items(connection, home, found.items_of)
    seconds = time.monotonic() - started
    return LoadReport(found.source, load_id, tables, found.rejects, found.notes, seconds)


def write(
    connection: duckdb.DuckDBPyConnection, batch: Loadable, now: datetime
) -> dict[str, Counts]:
    """Make a batch's changes, and count them by table."""
    tables: dict[str, Counts] = {}
    label = batch.files[0].label
    for each in batch.changes():
        if isinstance(each, Step):
            counts = each.change(connection, label, now)
        else:
            counts = _write_rows(connection, each, each.file or label, now)
        tables[each.table] = tables.get(each.table, Counts()) + counts
    return {table: counts for table, counts in tables.items() if counts != Counts()}


def _write_rows(
    connection: duckdb.DuckDBPyConnection, found: Rows, source_file: str, now: datetime
) -> Counts:
    view = _stage(connection, found)
    gone = _remove_others(connection, found, view) if found.within else 0
    changed = upsert_from(connection, found.table, view, source_file=source_file, now=now)
    return Counts(updated=gone) + changed


def _stage(connection: duckdb.DuckDBPyConnection, found: Rows) -> str:
    """Put rows where SQL reads them, with their hashes."""
    view = f"staged_{found.table}"
    if isinstance(found.rows, Path):
        path = sql_text(found.rows)
        connection.execute(f"create or replace temp view arrived_{found.table} as from {path}")
        staging = found.staging.format(arrived=f"arrived_{found.table}")
        connection.execute(
            f"create or replace temp view {view} as {staging or f'from arrived_{found.table}'}"
        )
    elif found.staging:
        with registered(connection, "arrived", as_arrow(found.table, found.rows)):
            # Kept aside: what is computed of the rows that are there must not change with them.
            staging = found.staging.format(arrived="arrived")
            connection.execute(f"create or replace temp table {view} as {staging}")
    else:
        connection.register(view, as_arrow(found.table, found.rows))
    return view


def _remove_others(connection: duckdb.DuckDBPyConnection, found: Rows, view: str) -> int:
    """Remove what is there beyond the rows of the batch, of what belongs to its rows."""
    table = TABLES[found.table]
    column = found.by or TABLES[str(found.within)].key[0]
    same_key = " and ".join(f"present.{name} = kept.{name}" for name in table.key)
    beyond = (
        f"not ({found.unless}) and {column} in (select {column} from staged_{found.within}) "
        "and not exists "
    )
    if found.kept is None:
        where = f"{beyond} (from {view} as kept where {same_key})"
        return remove_rows(connection, found.table, where)
    with registered(connection, "everything", as_arrow(found.table, found.kept)):
        where = f"{beyond} (from everything as kept where {same_key})"
        return remove_rows(connection, found.table, where)
