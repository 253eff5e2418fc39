"""Loading parliamentary debates: one transaction that adds, updates, replaces and counts."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.batch import MAX_REJECTED, Reject, original_of, refuse_too_many
from ingestion.debates.contracts import KEPT, FilterRule
from ingestion.errors import explained_when_full
from ingestion.json_values import as_json
from ingestion.load import load_dataset
from ingestion.parliamentary.contracts import (
    FORMAT,
    AboutDebate,
    ParliamentaryBatch,
    ParliamentaryDebate,
)
from ingestion.parliamentary.motions import ITEM_HASH
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    rows_changed,
    say_nothing,
    upsert_from,
)
from warehouse.home import Home
from warehouse.writer import WAIT_S, open_writer

# Each table's key, in the order of loading: a speech's hash needs its debate's motion.
_KEYS: Mapping[str, Sequence[str]] = {
    "datasets": ("dataset_id",),
    "filter_rules": ("dataset_id", "rule_order"),
    "debates": ("debate_id",),
    "speeches": ("item_id",),
    "debate_filters": ("debate_id",),
    "team_results": ("debate_id", "decided_by", "house"),
    "speaker_results": ("debate_id", "decided_by", "role"),
    "adjudicators": ("debate_id", "adjudicator_id"),
    "transcript_matches": ("dataset_id", "match_order"),
}
# What a debate no longer has is removed with the load that says so.
_PARTS = ("speeches", "team_results", "speaker_results", "adjudicators")
_IN_EXTRA = ("tournament", "round", "room", "is_contentious")
_STAGED = "staged_rows"


def load_parliamentary(
    home: Home,
    batch: ParliamentaryBatch,
    *,
    max_rejected: float = MAX_REJECTED,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a batch of debates, then write the data set's item files.

    A debate that is there already gets the motion, speeches, results and panel of this load and no
    others; debates that are not in the batch stay. Where the batch says how transcripts were
    matched, that replaces what was said of the data set before. A load that changes nothing leaves
    no trace.

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
    batch = _without_repeats(batch)
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
            lambda now: load_parliamentary_tables(connection, batch, now),
            files=batch.files,
            rejects=batch.rejects,
            notes=[*batch.notes, *_funnel(batch)],
            started=started,
        )


def _without_repeats(batch: ParliamentaryBatch) -> ParliamentaryBatch:
    """Reject debates that are there twice, or have a part twice: nobody can say which is meant."""
    times = Counter(each.debate.debate_id for each in batch.debates)
    kept, rejects = [], list(batch.rejects)
    for place, each in enumerate(batch.debates, start=1):
        debate_id = each.debate.debate_id
        reason = _repeated_part(each)
        if times[debate_id] > 1:
            reason = f"duplicate id: {times[debate_id]} debates of the load have it"
        if reason is None:
            kept.append(each)
            continue
        original = original_of(asdict(each.debate))
        name = f"debate {place} ({debate_id})"
        rejects.append(Reject(batch.files[0].shown, name, "debate_id", reason, original))
    return replace(batch, debates=kept, rejects=rejects)


def _repeated_part(each: ParliamentaryDebate) -> str | None:
    keys = [
        *((speech.item_id, "speech") for speech in each.speeches),
        *((team.house, f"result by {team.decided_by}") for team in each.teams),
        *((one.role, f"score by {one.decided_by}") for one in each.speakers),
        *((one.adjudicator_id, "seat on the panel") for one in each.adjudicators),
    ]
    twice = next((key for key, count in Counter(keys).items() if count > 1), None)
    return f"more than one {twice[1]} for {twice[0]}" if twice else None


def load_parliamentary_tables(
    connection: duckdb.DuckDBPyConnection, batch: ParliamentaryBatch, now: datetime
) -> dict[str, Counts]:
    """Add, update and replace the rows of a batch, as `load_parliamentary` says.

    Args:
        connection: A writer's connection, in a transaction.
        batch: What a source made; each debate once, each result once per debate, place and who
            decided.
        now: For `_loaded_at`.

    Returns:
        Row counts by raw table, of those that the batch has rows for.
    """
    label, dataset_id = batch.files[0].label, batch.dataset.dataset_id
    loaded = [each.debate.debate_id for each in batch.debates]
    counts: dict[str, Counts] = {}
    for table, rows in _rows(batch).items():
        gone = 0
        if table in _PARTS:
            gone = _remove_others(connection, table, loaded, rows)
        elif table == "filter_rules" or (table == "transcript_matches" and rows):
            gone = rows_changed(
                connection,
                f"delete from raw.{table} where dataset_id = ? and {_KEYS[table][1]} > ?",
                dataset_id,
                len(rows),
            )
        counts[table] = Counts(updated=gone) + _upsert(connection, table, rows, label, now)
    return {table: count for table, count in counts.items() if count != Counts()}


def _rows(batch: ParliamentaryBatch) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table; a part's rows are those of the debates, one after another."""
    dataset_id = batch.dataset.dataset_id
    orders = {rule.rule: place for place, rule in enumerate(batch.rules, start=1)}
    return {
        "datasets": [asdict(batch.dataset)],
        "filter_rules": [_rule_row(dataset_id, orders[rule.rule], rule) for rule in batch.rules],
        "debates": [_debate_row(each.debate) for each in batch.debates],
        "speeches": [
            asdict(speech) | {"word_count": len(speech.text.split())}
            for each in batch.debates
            for speech in each.speeches
        ],
        "debate_filters": [_filter_row(each, orders) for each in batch.debates],
        "team_results": [asdict(team) for each in batch.debates for team in each.teams],
        "speaker_results": [asdict(one) for each in batch.debates for one in each.speakers],
        "adjudicators": [asdict(one) for each in batch.debates for one in each.adjudicators],
        "transcript_matches": [
            asdict(match)
            | {
                "match_order": place,
                "candidates": as_json(list(match.candidates)) if match.candidates else None,
            }
            for place, match in enumerate(batch.matches, start=1)
        ],
    }


def _rule_row(dataset_id: str, order: int, rule: FilterRule) -> dict[str, Any]:
    return {"dataset_id": dataset_id, "rule_order": order, **asdict(rule)}


def _debate_row(debate: AboutDebate) -> dict[str, Any]:
    said = {name: getattr(debate, name) for name in _IN_EXTRA}
    extra = json.loads(debate.extra) if debate.extra else {}
    extra |= {name: value for name, value in said.items() if value is not None}
    return {
        "debate_id": debate.debate_id,
        "dataset_id": debate.dataset_id,
        "motion": debate.motion or "",
        "format": FORMAT,
        "context": debate.info_slide,
        "start_date": debate.start_date,
        "extra": as_json(extra) if extra else None,
    }


def _filter_row(debate: ParliamentaryDebate, orders: Mapping[str, int]) -> dict[str, Any]:
    removal = debate.removal
    return {
        "debate_id": debate.debate.debate_id,
        "dataset_id": debate.debate.dataset_id,
        "rule_order": orders[removal.rule] if removal else len(orders) + 1,
        "rule": removal.rule if removal else KEPT,
        "is_removed": removal is not None,
        "reason": removal.reason if removal else None,
    }


def _remove_others(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    debate_ids: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> int:
    """Remove what the debates of the load have beyond its rows."""
    keys = _KEYS[table]
    same_key = " and ".join(f"target.{key} = kept.{key}" for key in keys)
    connection.register("loaded", pa.table({"id": pa.array(debate_ids, pa.string())}))
    connection.register(
        "kept", pa.table({key: pa.array([row[key] for row in rows], pa.string()) for key in keys})
    )
    try:
        return rows_changed(
            connection,
            f"delete from raw.{table} as target "
            "where debate_id in (select id from loaded) "
            f"and not exists (from kept where {same_key})",
        )
    finally:
        connection.unregister("loaded")
        connection.unregister("kept")


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
    staging = "from arrived"
    if table == "speeches":
        item_hash = ITEM_HASH.format(motion="debates.motion", text="arrived.text")
        staging = (
            f"select arrived.*, {item_hash} as item_hash from arrived "
            "inner join raw.debates as debates on arrived.debate_id = debates.debate_id"
        )
    try:
        connection.execute(f"create or replace temp table {_STAGED} as {staging}")
    finally:
        connection.unregister("arrived")
    names = [*rows[0], *(["item_hash"] if table == "speeches" else [])]
    counts = upsert_from(
        connection, table, _KEYS[table], _STAGED, names, source_file=source_file, now=now
    )
    connection.execute(f"drop table {_STAGED}")
    return counts


def _funnel(batch: ParliamentaryBatch) -> list[str]:
    """Say how many debates each rule keeps from judges."""
    found = Counter(each.removal.rule if each.removal else KEPT for each in batch.debates)
    removed = [f"removed by {rule.rule}: {found[rule.rule]:,}" for rule in batch.rules]
    return [f"parliamentary debates: {sum(found.values()):,}", *removed, f"kept: {found[KEPT]:,}"]
