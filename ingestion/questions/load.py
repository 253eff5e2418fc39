"""Loading debatable questions: one transaction that adds, updates, replaces and counts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pyarrow as pa

from ingestion.batch import MAX_REJECTED, Reject, original_of, refuse_too_many
from ingestion.contracts import Dataset
from ingestion.errors import explained_when_full
from ingestion.load import load_dataset
from ingestion.questions.contracts import Document, PartialAnswer, Question, QuestionBatch
from ingestion.questions.texts import PERSPECTIVE_HASH, QUESTION_HASH
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    rows_changed,
    say_nothing,
    upsert,
    upsert_from,
)
from warehouse.home import Home
from warehouse.writer import WAIT_S, open_writer

_STAGED = "staged_rows"


def load_questions(
    home: Home,
    batch: QuestionBatch,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a batch of questions, then write the data set's item files.

    A question that is there with another text is an update and gets a new hash. Its perspectives
    are those of this load and no others, and so are its documents where the load brings any. What
    perspectives were drawn from stays known where the load does not say it. Questions that are
    there and not in the batch stay. A load that changes nothing leaves no trace.

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
    dataset_id = batch.dataset.dataset_id
    with (
        explained_when_full(f"loading {dataset_id}", home.build_db),
        open_writer(home, f"ingest {dataset_id}", wait_s=wait_s, notify=notify) as connection,
    ):
        batch = _without_other_splits(connection, batch)
        files = [part.file for part in batch.parts]
        refuse_too_many(files, batch.rejects, max_rejected)
        return load_dataset(
            home,
            connection,
            dataset_id,
            lambda now: load_question_tables(connection, batch, now),
            files=files,
            rejects=batch.rejects,
            notes=batch.notes,
            started=started,
        )


def _without_other_splits(
    connection: duckdb.DuckDBPyConnection, batch: QuestionBatch
) -> QuestionBatch:
    """Reject questions whose id is another question's in another split that is loaded.

    Splits may number their questions each from 1. An answer names the number alone, so one
    question's answers would count as the other's.
    """
    known = {
        identity: (question, split)
        for identity, question, split in connection.execute(
            "select question_id, question, split from raw.questions where dataset_id = ?",
            [batch.dataset.dataset_id],
        ).fetchall()
    }
    others: set[str] = set()
    rejects = list(batch.rejects)
    for part in batch.parts:
        for question in part.questions:
            text, split = known.get(question.question_id, (question.question, None))
            if text == question.question or split == question.split:
                continue
            reason = another_question(question, f"split {split!r}, which is loaded")
            others.add(question.question_id)
            place, original = f"question {question.question_id}", original_of(asdict(question))
            rejects.append(Reject(part.file.shown, place, "id", reason, original))
    if not others:
        return batch
    parts = [
        replace(
            part,
            questions=[row for row in part.questions if row.question_id not in others],
            partial_answers=[row for row in part.partial_answers if row.question_id not in others],
            documents=[row for row in part.documents if row.question_id not in others],
        )
        for part in batch.parts
    ]
    return replace(batch, parts=parts, rejects=rejects)


def another_question(question: Question, where: str) -> str:
    """Return why a question cannot be loaded whose id is another question's.

    Args:
        question: The question.
        where: Where the other one is.
    """
    name = f"{question.dataset_id}-{question.split or 'other'}"
    return (
        f"duplicate id: {question.question_id} is another question in {where}; where splits count "
        f"each for itself, load this one into a data set of its own, with --set dataset={name}"
    )


def upsert_dataset(
    connection: duckdb.DuckDBPyConnection, dataset: Dataset, source_file: str, now: datetime
) -> Counts:
    """Add or update a data set's own row.

    Args:
        connection: A writer's connection, in a transaction.
        dataset: The data set.
        source_file: For `_source_file`.
        now: For `_loaded_at`.
    """
    columns = {
        "dataset_id": pa.string(),
        "title": pa.string(),
        "licence": pa.string(),
        "citation": pa.string(),
        "url": pa.string(),
        "is_sample": pa.bool_(),
    }
    row = pa.Table.from_pylist([asdict(dataset)], pa.schema(columns))
    return upsert(connection, "datasets", ["dataset_id"], row, source_file=source_file, now=now)


def load_question_tables(
    connection: duckdb.DuckDBPyConnection, batch: QuestionBatch, now: datetime
) -> dict[str, Counts]:
    """Add, update and replace the rows of a batch, as `load_questions` says.

    Args:
        connection: A writer's connection, in a transaction.
        batch: What a source made.
        now: For `_loaded_at`.

    Returns:
        Row counts by raw table, of those that the batch has rows for.
    """
    label = batch.parts[0].file.label
    counts = {"datasets": upsert_dataset(connection, batch.dataset, label, now)}
    for part in batch.parts:
        asked = [question.question_id for question in part.questions]
        described = sorted({each.question_id for each in part.documents if each.question_id})
        questions = [asdict(each) for each in part.questions]
        perspectives = [_perspective_row(each) for each in part.partial_answers]
        documents = [_document_row(each) for each in part.documents]
        for table, key, rows, replaced in (
            ("questions", "question_id", questions, []),
            ("partial_answers", "partial_answer_id", perspectives, asked),
            (
                "documents",
                "document_id",
                documents,
                described,
            ),
        ):
            gone = _remove_others(connection, table, key, replaced, [row[key] for row in rows])
            changed = _upsert(connection, table, key, rows, part.file.label, now)
            counts[table] = counts.get(table, Counts()) + changed + Counts(updated=gone)
    return {table: count for table, count in counts.items() if count != Counts()}


def _perspective_row(perspective: PartialAnswer) -> dict[str, Any]:
    row = asdict(perspective)
    ids = perspective.document_ids
    return row | {"document_ids": None if ids is None else json.dumps(ids, ensure_ascii=False)}


def _document_row(document: Document) -> dict[str, Any]:
    return asdict(document) | {
        "top_level_domain": top_level_domain(document.url),
        "word_count": len(document.text.split()),
    }


def _remove_others(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    key: str,
    question_ids: Sequence[str],
    kept: Sequence[str],
) -> int:
    """Remove what these questions have beyond the rows of this load."""
    if not question_ids:
        return 0
    connection.register("asked", pa.table({"id": pa.array(question_ids, pa.string())}))
    connection.register("kept", pa.table({"id": pa.array(kept, pa.string())}))
    try:
        return rows_changed(
            connection,
            f"delete from raw.{table} where question_id in (select id from asked) "
            f"and {key} not in (select id from kept)",
        )
    finally:
        connection.unregister("asked")
        connection.unregister("kept")


# The rows as they arrived, with what is computed of them.
_STAGING = {
    "questions": f"select *, {QUESTION_HASH} as item_hash from arrived",
    # Where a load does not say what a perspective was drawn from, what is known stays.
    "partial_answers": f"""
        with hashed as (select *, {PERSPECTIVE_HASH} as text_hash from arrived)

        select hashed.* replace (coalesce(hashed.document_ids, known.document_ids) as document_ids)
        from hashed
        left join raw.partial_answers as known
            on hashed.partial_answer_id = known.partial_answer_id
            and hashed.text_hash = known.text_hash
    """,
    "documents": "from arrived",
}


def _upsert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    key: str,
    rows: Sequence[dict[str, Any]],
    source_file: str,
    now: datetime,
) -> Counts:
    if not rows:
        return Counts()
    kinds = connection.execute(f"from raw.{table} limit 0").to_arrow_table().schema
    schema = pa.schema([kinds.field(name).with_nullable(True) for name in rows[0]])
    connection.register("arrived", pa.Table.from_pylist(list(rows), schema))
    try:
        # Kept aside: the update below changes what is known.
        connection.execute(f"create or replace temp table {_STAGED} as {_STAGING[table]}")
    finally:
        connection.unregister("arrived")
    names = connection.execute(f"from {_STAGED} limit 0").to_arrow_table().schema.names
    counts = upsert_from(connection, table, [key], _STAGED, names, source_file=source_file, now=now)
    connection.execute(f"drop table {_STAGED}")
    return counts


def top_level_domain(url: str | None) -> str | None:
    """Return the last part of an address's host, such as `org`; None where it has none."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return None
    last = host.rstrip(".").rpartition(".")[2].casefold()
    return last if "." in host.rstrip(".") and not last.isdigit() else None
