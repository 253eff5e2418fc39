"""Speeches that models wrote: what a reply brought, and the items that come of it.

A speech is an item of the topic it was asked for, by the source that its judge's id names. Where
the prompt is not the shipped one, or the limit another, the source says that too, so that no table
pools two ways of asking. Of several replies to one request the latest answered counts, as in the
marts. A speech on a motion that has been changed since is no item any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import duckdb

from inference.speeches.topics import WORD_LIMIT
from inference.speeches.written import read_speech
from ingestion.journal_fields import TEXT, WHOLE, check
from ingestion.parliamentary.motions import ITEM_HASH
from ingestion.questions.texts import answer_id
from ingestion.raw_tables import Counts, rows_changed, upsert_from

TABLE = "written_speeches"
# As SQL over `raw.debates`: what a topic's hash is made of. Whoever changes it makes every speech
# stale.
TOPIC_HASH = "sha256(motion)"
# What reading a reply brings.
READ = (
    "speech", "word_count_written", "word_count", "removed_sentence_count", "parse_status",
    "parse_reason",
)  # fmt: skip

_SHIPPED = "speech_writing"
_WANTED = "wanted_speeches"
_COLUMNS = ("item_id", "dataset_id", "debate_id", "source", "text", "word_count", "item_hash")


def add_written(row: dict[str, Any], line: Mapping[str, Any]) -> None:
    """Complete the row of `raw.written_speeches` of a line about a topic.

    Args:
        row: The row, with what all answer lines have.
        line: The line.

    Raises:
        KeyError: A field is missing.
        TypeError: A field is of another kind.
    """
    check(line, {"item_id": TEXT, "word_limit": WHOLE})
    row |= {"debate_id": line["item_id"], "word_limit": line["word_limit"]}
    row["item_id"] = answer_id(line["item_id"], line["request_id"])
    if line["status"] == "answered":
        check(line, {"response": TEXT})
        row |= read_written(row)


def read_written(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a reply brought, as columns of `raw.written_speeches`.

    Args:
        row: Its `response`, `word_limit` and `finish_reason`.
    """
    found = read_speech(row["response"], row["word_limit"], row["finish_reason"])
    counts = (found.words_written, found.words, found.sentences_removed)
    return dict(zip(READ, (found.text, *counts, found.status, found.reason), strict=True))


def settle_topics(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Let requests about a topic that has another id now name that one.

    A topic known by its motion alone gets its id from the next file that has one.

    Args:
        connection: A writer's connection, in a transaction.
        table: Where the requests are.
    """
    connection.execute(
        f"update {table} as written set debate_id = known.debate_id from ("  # noqa: S608
        f"select dataset_id, {TOPIC_HASH} as topic_hash, min(debate_id) as debate_id "
        "from raw.debates group by all) as known "
        "where written.dataset_id = known.dataset_id and written.item_hash = known.topic_hash "
        "and written.debate_id not in (select debate_id from raw.debates)"
    )


def update_items(connection: duckdb.DuckDBPyConnection, now: datetime, label: str) -> Counts:
    """Make the items of written speeches those that the present replies bring.

    Args:
        connection: A writer's connection, in a transaction.
        now: For `_loaded_at`.
        label: For `_source_file`.
    """
    if connection.execute(f"from raw.{TABLE} limit 1").fetchone() is None:
        return Counts()
    settle_topics(connection, f"raw.{TABLE}")
    item_hash = ITEM_HASH.format(motion="debates.motion", text="speech")
    # Every name in these statements is a constant of this package.
    connection.execute(
        f"create or replace temp table {_WANTED} as "  # noqa: S608
        "with latest as ("
        f"select * from raw.{TABLE} where request_status = 'answered' "
        "qualify row_number() over (partition by item_id order by answered_at desc nulls last, "
        "run_id desc) = 1) "
        "select latest.item_id, latest.dataset_id, latest.debate_id, "
        f"judge_id || case when template = '{_SHIPPED}' and word_limit = {WORD_LIMIT} then '' "
        "else ' (' || template || ', ' || word_limit || ' words)' end as source, "
        f"speech as text, latest.word_count, {item_hash} as item_hash "
        "from latest inner join raw.debates as debates using (debate_id) "
        f"where parse_status = 'parsed' and latest.item_hash = {TOPIC_HASH}"
    )
    gone = rows_changed(
        connection,
        f"delete from raw.speeches where item_id in (select item_id from raw.{TABLE}) "  # noqa: S608
        f"and item_id not in (select item_id from {_WANTED})",
    )
    counts = upsert_from(
        connection, "speeches", ["item_id"], _WANTED, _COLUMNS, source_file=label, now=now
    )
    connection.execute(f"drop table {_WANTED}")
    return counts + Counts(updated=gone)
