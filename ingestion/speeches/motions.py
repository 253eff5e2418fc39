"""Debates known by their motion alone: what to call them, and how they join one with an id.

One released file of speeches names topics by id, another only by their text. Two debates for one
motion would split the cluster that every interval resamples, whichever file is loaded first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import duckdb

from ingestion.raw_tables import rows_changed
from warehouse.records.core import Debate

if TYPE_CHECKING:
    from ingestion.speeches.batch import Batch

# What an item's hash is made of, as SQL; `motion` and `text` stand for SQL expressions.
ITEM_HASH = "left(sha256({motion} || chr(10) || chr(10) || {text}), 16)"
# Speeches as they arrived, with their hashes: the debates are loaded first.
HASHED_SPEECHES = (
    f"select arrived.*, {ITEM_HASH.format(motion='debates.motion', text='arrived.text')} "
    "as item_hash from {arrived} as arrived "
    "inner join raw.debates as debates on arrived.debate_id = debates.debate_id"
)
_PREFIX = "motion-"


def motion_key(motion: str) -> str:
    """Return what spellings of one motion have in common: its letters, not case or white space."""
    return " ".join(motion.split()).casefold()


def provisional_debate_id(dataset_id: str, motion: str) -> str:
    """Return an id for a debate whose source gives its motion and no id.

    It is given up once a source gives the motion an id.
    """
    digest = hashlib.sha256(motion_key(motion).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{dataset_id}:{_PREFIX}{digest[:12]}"


def is_provisional(debate_id: str) -> bool:
    """Say whether an id was made by `provisional_debate_id`."""
    return debate_id.partition(":")[2].startswith(_PREFIX)


def onto_known_debates(connection: duckdb.DuckDBPyConnection, batch: Batch) -> Batch:
    """Let a batch's speeches that name only a motion join the debate already loaded for it.

    Args:
        connection: A writer's connection.
        batch: The batch; returned as it is when it names no debate by motion alone.
    """
    if not any(is_provisional(debate.debate_id) for debate in batch.debates):
        return batch
    loaded = connection.execute(
        "select debate_id, motion from raw.debates where dataset_id = ? order by debate_id desc",
        [batch.dataset.dataset_id],
    ).fetchall()
    known = {
        motion_key(motion): debate_id
        for debate_id, motion in loaded
        if not is_provisional(debate_id)
    }
    renamed = {
        debate.debate_id: known[motion_key(debate.motion)]
        for debate in batch.debates
        if is_provisional(debate.debate_id) and motion_key(debate.motion) in known
    }
    return replace(
        batch,
        debates=[debate for debate in batch.debates if debate.debate_id not in renamed],
        speeches=[
            replace(speech, debate_id=renamed.get(speech.debate_id, speech.debate_id))
            for speech in batch.speeches
        ],
    )


def move_provisional(
    connection: duckdb.DuckDBPyConnection,
    debates: Sequence[Debate],
    source_file: str,
    now: datetime,
) -> int:
    """Move speeches loaded by motion alone to the debate that has an id for it now.

    Args:
        connection: A writer's connection, in a transaction.
        debates: Debates just loaded.
        source_file: For the moved rows.
        now: For the moved rows.

    Returns:
        The number of speeches moved.
    """
    named = {
        motion_key(debate.motion): debate
        for debate in sorted(debates, key=lambda debate: debate.debate_id, reverse=True)
        if not is_provisional(debate.debate_id)
    }
    if not named:
        return 0
    moved = 0
    loaded = connection.execute(
        "select debate_id, motion from raw.debates where dataset_id = ?", [debates[0].dataset_id]
    ).fetchall()
    for debate_id, motion in loaded:
        target = named.get(motion_key(motion))
        if target is None or not is_provisional(debate_id):
            continue
        moved += rows_changed(
            connection,
            "update raw.speeches set debate_id = ?, "
            f"item_hash = {ITEM_HASH.format(motion='?', text='text')}, "
            "_source_file = ?, _loaded_at = ? where debate_id = ?",
            target.debate_id,
            target.motion,
            source_file,
            now,
            debate_id,
        )
        connection.execute("delete from raw.debates where debate_id = ?", [debate_id])
    return moved
