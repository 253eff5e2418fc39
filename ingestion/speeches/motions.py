"""Debates known by their motion alone: what to call them, and how they join one with an id.

One released file of speeches names topics by id, another only by their text. Two debates for one
motion would split the cluster that every interval resamples, whichever file is loaded first.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime

import duckdb

from ingestion.batch import Counts
from ingestion.raw_tables import change_rows, remove_rows

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


def known_debates(
    connection: duckdb.DuckDBPyConnection, dataset_id: str, motions: Mapping[str, str]
) -> dict[str, str]:
    """Return the debates already loaded for those that have a motion alone, by their ids.

    Args:
        motions: The motions of debates by their ids.
    """
    if not any(map(_is_provisional, motions)):
        return {}
    named = _named(_loaded(connection, dataset_id))
    return {
        debate_id: named[motion_key(motion)]
        for debate_id, motion in motions.items()
        if _is_provisional(debate_id) and motion_key(motion) in named
    }


def move_provisional(
    dataset_id: str,
    motions: Mapping[str, str],
    connection: duckdb.DuckDBPyConnection,
    source_file: str,
    now: datetime,
) -> Counts:
    """Move speeches loaded by motion alone to the debate that has an id for it now.

    Args:
        motions: The motions of debates just loaded, by their ids.

    Returns:
        The speeches moved, as updated.
    """
    named, moved = _named(motions), 0
    for debate_id, motion in _loaded(connection, dataset_id).items() if named else ():
        target = named.get(motion_key(motion))
        if target is None or not _is_provisional(debate_id):
            continue
        moved += change_rows(
            connection,
            "speeches",
            {"debate_id": "?", "item_hash": ITEM_HASH.format(motion="?", text="present.text")},
            "where present.debate_id = ?",
            target,
            motions[target],
            debate_id,
            source_file=source_file,
            now=now,
        )
        remove_rows(connection, "debates", "debate_id = ?", debate_id)
    return Counts(updated=moved)


def _is_provisional(debate_id: str) -> bool:
    return debate_id.partition(":")[2].startswith(_PREFIX)


def _loaded(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> dict[str, str]:
    query = "select debate_id, motion from raw.debates where dataset_id = ?"
    return dict(connection.execute(query, [dataset_id]).fetchall())


def _named(motions: Mapping[str, str]) -> dict[str, str]:
    """Return the first debate with an id of its own for each motion's key."""
    return {
        motion_key(motion): debate_id
        for debate_id, motion in sorted(motions.items(), reverse=True)
        if not _is_provisional(debate_id)
    }


def rehash(
    dataset_id: str, connection: duckdb.DuckDBPyConnection, source_file: str, now: datetime
) -> Counts:
    """Renew the hash of speeches whose motion has changed."""
    item_hash = ITEM_HASH.format(motion="debates.motion", text="present.text")
    changed = change_rows(
        connection,
        "speeches",
        {"item_hash": item_hash},
        "inner join raw.debates as debates on present.debate_id = debates.debate_id "
        f"where present.dataset_id = ? and present.item_hash <> {item_hash}",
        dataset_id,
        source_file=source_file,
        now=now,
    )
    return Counts(updated=changed)
