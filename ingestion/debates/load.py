"""Loading debates: spooled first, then one transaction that adds, updates, replaces and counts."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TypedDict

import duckdb
import pyarrow as pa

from ingestion.batch import MAX_REJECTED, refuse_too_many
from ingestion.debates.contracts import KEPT
from ingestion.debates.spool import SCHEMAS, Spool
from ingestion.errors import explained_when_full
from ingestion.load import load_dataset
from ingestion.oversight.human_judgements import DASHBOARD, IMPORTED
from ingestion.oversight.load import write_stories
from ingestion.oversight.reading import DebateSource
from ingestion.parliamentary.motions import ITEM_HASH
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    rows_changed,
    say_nothing,
    upsert,
    upsert_from,
)
from warehouse.files import remove_leftovers
from warehouse.home import Home
from warehouse.writer import WAIT_S, open_writer

# Each table's key, in the order of loading: a speech's hash needs its debate.
_KEYS: dict[str, Sequence[str]] = {
    "debates": ("debate_id",),
    "speeches": ("item_id",),
    "debate_outcomes": ("debate_id", "criterion", "decided_by"),
    "debate_filters": ("debate_id",),
    "human_verdicts": ("debate_id", "judge_id", "is_interactive", "step"),
    "participants": ("participant_id",),
}
# Enough for the indexes of the largest source; the database writes the rest of its work to disk.
_MEMORY = "512MB"
# What a debate no longer has is removed with the load that says so.
_PARTS = ("speeches", "debate_outcomes", "human_verdicts")


def load_debates(
    home: Home,
    source: DebateSource,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Read a source of debates to its end, load it, then write its item files.

    Nothing is touched before the whole source was read. A debate that is there already gets the
    turns, outcomes and verdicts of this load and no others; debates that the source does not have
    stay. A load that changes nothing leaves no trace.

    Args:
        home: The home to load into.
        source: The source.
        max_rejected: The largest share of rejected records.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        SourceUnreadable: The source breaks off or is not what it should be; nothing is loaded.
        TooManyRejected: Too large a share of its records is rejected; nothing is loaded.
        NoSpace: The disk is full.
    """
    started = time.monotonic()
    dataset_id = source.dataset.dataset_id
    home.landing.mkdir(parents=True, exist_ok=True)
    remove_leftovers(home.landing)
    with (
        explained_when_full(f"loading {dataset_id}", home.build_db),
        # Named as other unfinished files are, so that one left by a kill is found and removed.
        tempfile.TemporaryDirectory(
            prefix=f".spool.{os.getpid()}-", suffix=".part", dir=home.landing
        ) as folder,
    ):
        with Spool(Path(folder), source.rules) as spool:
            for record in source.records:
                spool.add(record)
            for participant in source.participants:
                spool.add_participant(participant)
        readings = [source.reading, *([source.people] if source.people else [])]
        rejects = [reject for reading in readings for reject in reading.rejects]
        files = list(source.files)
        for place, reading in enumerate(readings):
            files[place] = replace(files[place], records=reading.records)
        refuse_too_many(files, rejects, max_rejected)
        notes = [note for reading in readings for note in reading.notes] + _funnel(spool, source)
        with open_writer(home, f"ingest {dataset_id}", wait_s=wait_s, notify=notify) as connection:
            connection.execute(f"set memory_limit = '{_MEMORY}'")
            return load_dataset(
                home,
                connection,
                dataset_id,
                lambda now: _load_tables(connection, source, spool, files[0].label, now),
                files=files,
                rejects=rejects,
                notes=notes,
                started=started,
            )


class _Provenance(TypedDict):
    source_file: str
    now: datetime


def _load_tables(
    connection: duckdb.DuckDBPyConnection,
    source: DebateSource,
    spool: Spool,
    source_file: str,
    now: datetime,
) -> dict[str, Counts]:
    dataset_id = source.dataset.dataset_id
    provenance = _Provenance(source_file=source_file, now=now)
    dataset = pa.Table.from_pylist([asdict(source.dataset)])
    counts = {
        "datasets": upsert(
            connection,
            "datasets",
            ["dataset_id"],
            _texts(dataset),
            source_file=source_file,
            now=now,
        )
    }
    rules = pa.Table.from_pylist(
        [
            {"dataset_id": dataset_id, "rule_order": place, **asdict(rule)}
            for place, rule in enumerate(source.rules, start=1)
        ],
        pa.schema(
            {
                "dataset_id": pa.string(),
                "rule_order": pa.int32(),
                "rule": pa.string(),
                "description": pa.string(),
                "setting": pa.string(),
            }
        ),
    )
    dropped = rows_changed(
        connection,
        "delete from raw.filter_rules where dataset_id = ? and rule_order > ?",
        dataset_id,
        len(source.rules),
    )
    counts["filter_rules"] = Counts(updated=dropped) + upsert(
        connection,
        "filter_rules",
        ["dataset_id", "rule_order"],
        rules,
        source_file=source_file,
        now=now,
    )
    for table, keys in _KEYS.items():
        view = f"staged_{table}"
        _stage(connection, spool, table, view)
        names = [*SCHEMAS[table].names, *(["item_hash"] if table == "speeches" else [])]
        gone = _remove_others(connection, table, keys, view) if table in _PARTS else 0
        counts[table] = Counts(updated=gone) + upsert_from(
            connection, table, keys, view, names, **provenance
        )
    for table in _KEYS:
        connection.execute(f"drop view staged_{table}")
    found = source.found
    if found.stories:
        counts |= write_stories(
            connection, dataset_id, found.stories.values(), found.questions.values(), **provenance
        )
    return {table: count for table, count in counts.items() if count != Counts()}


def _texts(table: pa.Table) -> pa.Table:
    """Give columns that are null throughout a type."""
    fields = [
        pa.field(each.name, pa.string() if pa.types.is_null(each.type) else each.type)
        for each in table.schema
    ]
    return table.cast(pa.schema(fields))


def _stage(connection: duckdb.DuckDBPyConnection, spool: Spool, table: str, view: str) -> None:
    path = str(spool.path(table)).replace("'", "''")
    rows = f"read_parquet('{path}')"
    if table == "speeches":
        item_hash = ITEM_HASH.format(motion="staged_debates.motion", text="spooled.text")
        rows = (
            f"(select spooled.*, {item_hash} as item_hash from {rows} as spooled "
            "inner join staged_debates on spooled.debate_id = staged_debates.debate_id)"
        )
    connection.execute(f"create or replace temp view {view} as from {rows}")


def _remove_others(
    connection: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str], view: str
) -> int:
    same_key = " and ".join(f"target.{key} = staged.{key}" for key in keys)
    # What readers of the dashboard or imported files judged is nothing the source could withdraw.
    of_source = (
        f"and mode not in ('{DASHBOARD}', '{IMPORTED}') " if table == "human_verdicts" else ""
    )
    return rows_changed(
        connection,
        f"delete from raw.{table} as target "
        f"where debate_id in (select debate_id from staged_debates) {of_source}"
        f"and not exists (from {view} as staged where {same_key})",
    )


def _funnel(spool: Spool, source: DebateSource) -> list[str]:
    """Say how many debates each rule removed."""
    found = spool.by_rule
    removed = [f"removed by {rule.rule}: {found[rule.rule]:,}" for rule in source.rules]
    stories, questions = source.found.stories, source.found.questions
    read = [f"stories: {len(stories):,}", f"questions about stories: {len(questions):,}"]
    return [
        f"debates: {sum(found.values()):,}",
        *removed,
        f"kept: {found[KEPT]:,}",
        *(read if stories else []),
    ]
