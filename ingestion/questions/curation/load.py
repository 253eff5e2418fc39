"""Loading a curated data set: its curation, its questions and its documents, all or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.errors import UnknownSource, explained_when_full
from ingestion.load import load_dataset
from ingestion.questions.contracts import QuestionBatch
from ingestion.questions.curation.contracts import TABLES, CurationBatch
from ingestion.questions.load import load_question_tables, upsert_dataset
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    rows_changed,
    say_nothing,
    upsert,
)
from warehouse.home import Home
from warehouse.writer import WAIT_S, open_writer

_OF_QUESTIONS = ("partial_answers", "documents", "questions")


def load_curation(
    home: Home,
    batch: CurationBatch,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a curated data set, then write its item files.

    Afterwards the data set's curation is that of this load and no other, and so are its questions
    where the batch has any; without, those of an earlier load stay. A load that changes nothing
    leaves no trace.

    Args:
        home: The home to load into.
        batch: What the source made.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        UnknownSource: Its name is that of a data set from elsewhere, which stays as it is.
        NoSpace: The disk is full.
    """
    started = time.monotonic()
    dataset_id = batch.dataset.dataset_id
    files = [part.file for part in batch.parts[:-1]]
    if batch.questions is not None:
        files += [part.file for part in batch.questions.parts]
    with (
        explained_when_full(f"loading {dataset_id}", home.build_db),
        open_writer(home, f"ingest {dataset_id}", wait_s=wait_s, notify=notify) as connection,
    ):
        return load_dataset(
            home,
            connection,
            dataset_id,
            lambda now: _load_tables(connection, batch, now),
            files=files,
            rejects=[],
            notes=batch.notes,
            started=started,
        )


def _load_tables(
    connection: duckdb.DuckDBPyConnection, batch: CurationBatch, now: datetime
) -> dict[str, Counts]:
    _refuse_foreign(connection, batch.dataset.dataset_id)
    tables = _load_curation(connection, batch, now)
    if batch.questions is not None:
        gone = _remove_gone(connection, batch.questions)
        for table, counts in load_question_tables(connection, batch.questions, now).items():
            tables[table] = counts + gone.pop(table, Counts())
        tables |= gone
    return {table: counts for table, counts in tables.items() if counts != Counts()}


def _refuse_foreign(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> None:
    """Refuse a name that is another data set's: its questions would be taken for removed ones."""
    foreign = connection.execute(
        "select 1 from raw.datasets where dataset_id = ? and not exists "
        "(from raw.curation_steps where dataset_id = ?)",
        [dataset_id, dataset_id],
    ).fetchone()
    if foreign:
        raise UnknownSource(
            f"ingestion: '{dataset_id}' is a data set from elsewhere, and stays as it is; give the "
            "curated one a name of its own with --set dataset=NAME"
        )


def _load_curation(
    connection: duckdb.DuckDBPyConnection, batch: CurationBatch, now: datetime
) -> dict[str, Counts]:
    dataset_id = batch.dataset.dataset_id
    tables: dict[str, Counts] = {}
    if batch.questions is None:
        label = batch.parts[0].file.label
        tables["datasets"] = upsert_dataset(connection, batch.dataset, label, now)
    for table, (_, keys) in TABLES.items():
        parts = [
            (part.file.label, [asdict(row) for row in part.rows.get(table, ())])
            for part in batch.parts
        ]
        everything = [row for _, rows in parts for row in rows]
        counts = _remove_others(connection, table, keys, everything, dataset_id)
        for source_file, rows in parts:
            if rows:
                staged = _typed(connection, table, rows)
                counts += upsert(
                    connection,
                    table,
                    ["dataset_id", *keys],
                    staged,
                    source_file=source_file,
                    now=now,
                )
        tables[table] = counts
    return tables


def _remove_others(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    keys: tuple[str, ...],
    rows: list[dict[str, Any]],
    dataset_id: str,
) -> Counts:
    """Remove what an earlier curation of the data set has beyond these rows."""
    kinds = connection.execute(f"from raw.{table} limit 0").to_arrow_table().schema
    kept = pa.Table.from_pylist(rows, pa.schema([kinds.field(name) for name in keys]))
    same = " and ".join(f"target.{key} = kept.{key}" for key in keys)
    connection.register("kept", kept)
    try:
        gone = rows_changed(
            connection,
            f"delete from raw.{table} as target where dataset_id = ? "
            f"and not exists (select 1 from kept where {same})",
            dataset_id,
        )
    finally:
        connection.unregister("kept")
    return Counts(updated=gone)


def _remove_gone(
    connection: duckdb.DuckDBPyConnection, questions: QuestionBatch
) -> dict[str, Counts]:
    """Remove the questions, with all that belongs to them, that curation has removed since."""
    left = [question.question_id for part in questions.parts for question in part.questions]
    connection.register("kept", pa.table({"id": pa.array(left, pa.string())}))
    try:
        return {
            table: Counts(
                updated=rows_changed(
                    connection,
                    f"delete from raw.{table} where dataset_id = ? "
                    "and question_id not in (select id from kept)",
                    questions.dataset.dataset_id,
                )
            )
            for table in _OF_QUESTIONS
        }
    finally:
        connection.unregister("kept")


def _typed(
    connection: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]]
) -> pa.Table:
    """Give the columns the types their table has: those that are null throughout have none."""
    kinds = connection.execute(f"from raw.{table} limit 0").to_arrow_table().schema
    schema = pa.schema([kinds.field(name).with_nullable(True) for name in rows[0]])
    return pa.Table.from_pylist(rows, schema)
