"""Loading stories and questions about them: one transaction that adds, updates and counts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.batch import MAX_REJECTED, refuse_too_many
from ingestion.debates.contracts import KEPT
from ingestion.errors import SourceUnreadable, explained_when_full
from ingestion.load import load_dataset
from ingestion.oversight.contracts import ReadingBatch, ReadingQuestion, Story
from ingestion.oversight.items import READING_HASH, TEXT_HASH
from ingestion.raw_tables import Counts, LoadReport, rows_changed, say_nothing, upsert_from
from warehouse.home import Home
from warehouse.writer import WAIT_S, open_writer

# Each table's key, in the order of loading: a question's hash needs its story.
_KEYS: Mapping[str, Sequence[str]] = {
    "datasets": ("dataset_id",),
    "filter_rules": ("dataset_id", "rule_order"),
    "stories": ("story_id",),
    "reading_questions": ("question_id",),
}
# The rows as they arrived, with what is computed of them.
_STAGING: Mapping[str, str] = {
    "stories": f"select *, {TEXT_HASH} as text_hash from arrived",
    "reading_questions": f"""
        select arrived.*, {READING_HASH} as item_hash
        from arrived
        inner join raw.stories as stories on arrived.story_id = stories.story_id
    """,
}
_STAGED = "staged_rows"


def load_reading(
    home: Home,
    batch: ReadingBatch,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a batch of stories and questions, then write the data set's item files.

    A question whose own text, answers or story changed gets a new hash. Stories and questions that
    are there and not in the batch stay. A load that changes nothing leaves no trace.

    Args:
        home: The home to load into.
        batch: What a source made; the story of every question is among its stories.
        max_rejected: The largest share of rejected records, per file.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        SourceUnreadable: Questions that are there were removed by other rules than the batch's.
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
        _refuse_other_rules(connection, batch)
        return load_dataset(
            home,
            connection,
            dataset_id,
            lambda now: _load_tables(connection, batch, now),
            files=batch.files,
            rejects=batch.rejects,
            notes=[*batch.notes, *_funnel(batch)],
            started=started,
        )


def _refuse_other_rules(connection: duckdb.DuckDBPyConnection, batch: ReadingBatch) -> None:
    """Refuse a load after which some questions would be filtered one way and some another."""
    dataset_id = batch.dataset.dataset_id
    ids = {question.question_id for question in batch.questions}
    rows = connection.execute(
        "select question_id from raw.reading_questions where dataset_id = ?", [dataset_id]
    ).fetchall()
    others = sum(row[0] not in ids for row in rows)
    known = connection.execute(
        "select rule, setting from raw.filter_rules where dataset_id = ? order by rule_order",
        [dataset_id],
    ).fetchall()
    if not others or known == [(rule.rule, rule.setting) for rule in batch.rules]:
        return
    raise SourceUnreadable(
        f"ingestion: {others:,} questions of '{dataset_id}' that {batch.files[0].shown} does not "
        "have were filtered with other settings; name all files of the data set at once, use the "
        f"settings of before, or load this into a data set of its own with --set "
        f"dataset={dataset_id}-other"
    )


def _load_tables(
    connection: duckdb.DuckDBPyConnection, batch: ReadingBatch, now: datetime
) -> dict[str, Counts]:
    label, dataset_id = batch.files[0].label, batch.dataset.dataset_id
    gone = rows_changed(
        connection,
        "delete from raw.filter_rules where dataset_id = ? and rule_order > ?",
        dataset_id,
        len(batch.rules),
    )
    counts = {"filter_rules": Counts(updated=gone)}
    for table, rows in _rows(batch).items():
        changed = _upsert(connection, table, rows, label, now)
        counts[table] = counts.get(table, Counts()) + changed
    counts |= write_stories(connection, dataset_id, batch.stories, batch.questions, label, now)
    return {table: count for table, count in counts.items() if count != Counts()}


def write_stories(
    connection: duckdb.DuckDBPyConnection,
    dataset_id: str,
    stories: Iterable[Story],
    questions: Iterable[ReadingQuestion],
    source_file: str,
    now: datetime,
) -> dict[str, Counts]:
    """Write stories and questions to raw, and give every question of the data set its hash.

    Args:
        connection: A writer's connection, in a transaction.
        dataset_id: The data set.
        stories: The stories.
        questions: The questions; the story of each is among the stories, or there already.
        source_file: For `_source_file`.
        now: For `_loaded_at`.
    """
    told = [_story_row(each) for each in stories]
    asked = [_question_row(each) for each in questions]
    found = {"stories": _upsert(connection, "stories", told, source_file, now)}
    changed = _upsert(connection, "reading_questions", asked, source_file, now)
    rehashed = Counts(updated=_rehash(connection, dataset_id, source_file, now))
    return found | {"reading_questions": changed + rehashed}


def _rows(batch: ReadingBatch) -> dict[str, list[dict[str, Any]]]:
    dataset_id = batch.dataset.dataset_id
    return {
        "datasets": [asdict(batch.dataset)],
        "filter_rules": [
            {"dataset_id": dataset_id, "rule_order": place, **asdict(rule)}
            for place, rule in enumerate(batch.rules, start=1)
        ],
    }


def _story_row(story: Story) -> dict[str, Any]:
    return asdict(story) | {"word_count": len(story.text.split())}


def _question_row(question: ReadingQuestion) -> dict[str, Any]:
    row = asdict(question)
    del row["removal"]
    removal = question.removal
    return row | {
        "removal_rule": removal.rule if removal else None,
        "removal_reason": removal.reason if removal else None,
    }


def _upsert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
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
        staging = _STAGING.get(table, "from arrived")
        connection.execute(f"create or replace temp table {_STAGED} as {staging}")
    finally:
        connection.unregister("arrived")
    names = connection.execute(f"from {_STAGED} limit 0").to_arrow_table().schema.names
    counts = upsert_from(
        connection, table, _KEYS[table], _STAGED, names, source_file=source_file, now=now
    )
    connection.execute(f"drop table {_STAGED}")
    return counts


def _rehash(
    connection: duckdb.DuckDBPyConnection, dataset_id: str, source_file: str, now: datetime
) -> int:
    """Give questions that the load does not have, but whose story it changed, their new hash."""
    return rows_changed(
        connection,
        f"update raw.reading_questions as questions set item_hash = {READING_HASH}, "
        "_source_file = ?, _loaded_at = ? from raw.stories as stories "
        "where questions.story_id = stories.story_id and questions.dataset_id = ? "
        f"and questions.item_hash <> {READING_HASH}",
        source_file,
        now,
        dataset_id,
    )


def _funnel(batch: ReadingBatch) -> list[str]:
    """Say how many questions each rule removes."""
    found = Counter(each.removal.rule if each.removal else KEPT for each in batch.questions)
    removed = [f"removed by {rule.rule}: {found[rule.rule]:,}" for rule in batch.rules]
    return [
        f"stories: {len(batch.stories):,}",
        f"questions about stories: {len(batch.questions):,}",
        *removed,
        f"kept: {found[KEPT]:,}",
    ]
