"""Debates known by their motion alone: what to call them, and how they join one with an id.

One released file of speeches names topics by id, another only by their text. Two debates for one
motion would split the cluster that every interval resamples, whichever file is loaded first.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime

import duckdb

from ingestion.batch import Counts
from ingestion.raw_tables import change_rows, remove_rows
from warehouse.records.core import Debate

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


def known_debates(
    connection: duckdb.DuckDBPyConnection, dataset_id: str, debates: Sequence[Debate]
) -> dict[str, str]:
    """Return the debates already loaded for those that have a motion alone, by their ids."""
    if not any(is_provisional(debate.debate_id) for debate in debates):
        return {}
    loaded = connection.execute(
        "select debate_id, motion from raw.debates where dataset_id = ? order by debate_id desc",
        [dataset_id],
    ).fetchall()
    known = {
        motion_key(motion): debate_id
        for debate_id, motion in loaded
        if not is_provisional(debate_id)
    }
    return {
        debate.debate_id: known[motion_key(debate.motion)]
        for debate in debates
        if is_provisional(debate.debate_id) and motion_key(debate.motion) in known
    }


def move_provisional(
    debates: Sequence[Debate],
    connection: duckdb.DuckDBPyConnection,
    source_file: str,
    now: datetime,
) -> Counts:
    """Move speeches loaded by motion alone to the debate that has an id for it now.

    Args:
        debates: Debates just loaded.
        source_file: For the moved rows.
        now: For the moved rows.

    Returns:
        The speeches moved, as updated.
    """
    named = {
        motion_key(debate.motion): debate
        for debate in sorted(debates, key=lambda debate: debate.debate_id, reverse=True)
        if not is_provisional(debate.debate_id)
    }
    if not named:
        return Counts()
    moved = 0
    loaded = connection.execute(
        "select debate_id, motion from raw.debates where dataset_id = ?", [debates[0].dataset_id]
    ).fetchall()
    for debate_id, motion in loaded:
        target = named.get(motion_key(motion))
        if target is None or not is_provisional(debate_id):
            continue
        moved += change_rows(
            connection,
            "speeches",
            {"debate_id": "?", "item_hash": ITEM_HASH.format(motion="?", text="present.text")},
            "where present.debate_id = ?",
            target.debate_id,
            target.motion,
            debate_id,
            source_file=source_file,
            now=now,
        )
        remove_rows(connection, "debates", "debate_id = ?", debate_id)
    return Counts(updated=moved)
