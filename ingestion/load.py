"""Loading a batch: one transaction that adds, updates and counts, or leaves all as it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime

import duckdb
import pyarrow as pa

from ingestion.batch import MAX_REJECTED, Batch, Reject, SourceFile, refuse_too_many
from ingestion.errors import explained_when_full
from ingestion.items import export_items
from ingestion.parliamentary.motions import ITEM_HASH, move_provisional, onto_known_debates
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    one_transaction,
    record_load,
    rows_changed,
    say_nothing,
    upsert,
)
from ingestion.speeches.written import update_items
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

_SPEECH_COLUMNS = (
    "item_id",
    "dataset_id",
    "debate_id",
    "source",
    "text",
    "extra",
    "round",
    "side",
    "speaker",
    "speaker_role",
    "role",
)
_TIME_COLUMNS = ("start_s", "end_s")
_RATING_COLUMNS = ("dataset_id", "item_id", "annotator_id", "dimension", "value")


def load_batch(
    home: Home,
    batch: Batch,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load one batch of a data set, then write its item files.

    A row whose key is there with other content is an update; an item whose motion or text changed
    gets a new hash. Rows that are there and not in the batch stay. A load that changes nothing
    leaves no trace, but for item files that are missing, which it writes.

    Args:
        home: The home to load into.
        batch: What a source made.
        max_rejected: The largest share of rejected records, per file.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        TooManyRejected: The share is larger; nothing is loaded.
        NoSpace: The disk is full.
    """
    started = time.monotonic()
    refuse_too_many(batch.files, batch.rejects, max_rejected)
    dataset_id = batch.dataset.dataset_id
    with (
        explained_when_full(f"loading {dataset_id}", home.build_db),
        open_writer(home, f"ingest {dataset_id}", wait_s=wait_s, notify=notify) as connection,
    ):
        return load_dataset(
            home,
            connection,
            dataset_id,
            lambda now: _load_tables(connection, batch, now),
            files=batch.files,
            rejects=batch.rejects,
            notes=batch.notes,
            started=started,
        )


def load_dataset(
    home: Home,
    connection: duckdb.DuckDBPyConnection,
    dataset_id: str,
    load_tables: Callable[[datetime], Mapping[str, Counts]],
    *,
    files: Sequence[SourceFile],
    rejects: Sequence[Reject],
    notes: Sequence[str],
    started: float,
) -> LoadReport:
    """Load a data set's tables and the record of it in one transaction, then write its item files.

    Args:
        home: The home to load into.
        connection: A writer's connection.
        dataset_id: The data set.
        load_tables: Writes the rows, with the time of the load, and counts them by table.
        files: The files that were read.
        rejects: What broke the contract.
        notes: What a user should know about how the source was read.
        started: When the load began, by `time.monotonic`.
    """
    now = utc_now()
    with one_transaction(connection):
        tables = dict(load_tables(now))
        written = update_items(connection, now, dataset_id)
        if written.new or written.updated:
            tables["speeches"] = tables.get("speeches", Counts()) + written
        load_id = record_load(
            connection,
            kind="dataset",
            source=dataset_id,
            files=files,
            counts=sum(tables.values(), Counts()),
            rejects=rejects,
            now=now,
        )
    export_items(connection, home, dataset_id)
    return LoadReport(
        source=dataset_id,
        load_id=load_id,
        tables=tables,
        quarantined=len(rejects),
        rejects=rejects,
        notes=notes,
        seconds=time.monotonic() - started,
    )


def _load_tables(
    connection: duckdb.DuckDBPyConnection, batch: Batch, now: datetime
) -> dict[str, Counts]:
    items_file, ratings_file = batch.files[0].label, batch.files[-1].label
    dataset_id = batch.dataset.dataset_id
    batch = onto_known_debates(connection, batch)
    counts: dict[str, Counts] = {}
    for table, keys, rows in (
        ("datasets", ["dataset_id"], [batch.dataset]),
        ("dimensions", ["dataset_id", "dimension"], batch.dimensions),
        ("debates", ["debate_id"], batch.debates),
    ):
        if rows:
            staged = pa.Table.from_pylist([asdict(row) for row in rows])
            counts[table] = upsert(
                connection,
                table,
                keys,
                _typed(connection, table, staged),
                source_file=items_file,
                now=now,
            )
    moved = move_provisional(connection, batch.debates, items_file, now)
    if batch.speeches:
        counts["speeches"] = upsert(
            connection,
            "speeches",
            ["item_id"],
            _with_hash(connection, batch),
            source_file=items_file,
            now=now,
        )
    if counts.get("debates", Counts()).updated:
        moved += _rehash(connection, dataset_id, items_file, now)
    counts["speeches"] = counts.get("speeches", Counts()) + Counts(updated=moved)
    if batch.ratings:
        staged = pa.table(
            {
                column: [getattr(rating, column) for rating in batch.ratings]
                for column in _RATING_COLUMNS
            }
        )
        counts["human_ratings"] = upsert(
            connection,
            "human_ratings",
            ["item_id", "annotator_id", "dimension"],
            staged,
            source_file=ratings_file,
            now=now,
        )
    return counts


def _typed(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table) -> pa.Table:
    """Give the columns the types their table has: those that are null throughout have none."""
    kinds = connection.execute(f"from raw.{table} limit 0").to_arrow_table().schema
    return rows.cast(
        pa.schema([kinds.field(name).with_nullable(True) for name in rows.schema.names])
    )


def _with_hash(connection: duckdb.DuckDBPyConnection, batch: Batch) -> pa.Table:
    speeches = batch.speeches
    staged: dict[str, pa.Array] = {
        column: pa.array([getattr(speech, column) for speech in speeches], pa.string())
        for column in _SPEECH_COLUMNS
    }
    for column in _TIME_COLUMNS:
        staged[column] = pa.array([getattr(speech, column) for speech in speeches], pa.float64())
    orders = [speech.speech_order for speech in speeches]
    staged["speech_order"] = pa.array(orders, pa.int32())
    staged["word_count"] = pa.array([len(speech.text.split()) for speech in speeches], pa.int32())
    item_hash = ITEM_HASH.format(motion="debates.motion", text="unhashed.text")
    connection.register("unhashed", pa.table(staged))
    try:
        return connection.execute(
            f"select unhashed.*, {item_hash} as item_hash "
            "from unhashed inner join raw.debates as debates "
            "on unhashed.debate_id = debates.debate_id"
        ).to_arrow_table()
    finally:
        connection.unregister("unhashed")


def _rehash(
    connection: duckdb.DuckDBPyConnection, dataset_id: str, source_file: str, now: datetime
) -> int:
    """Renew the hash of items that are not in the batch and whose motion is."""
    item_hash = ITEM_HASH.format(motion="debates.motion", text="speeches.text")
    return rows_changed(
        connection,
        f"update raw.speeches as speeches set item_hash = {item_hash}, "
        "_source_file = ?, _loaded_at = ? from raw.debates as debates "
        "where speeches.debate_id = debates.debate_id and speeches.dataset_id = ? "
        f"and speeches.item_hash <> {item_hash}",
        source_file,
        now,
        dataset_id,
    )
