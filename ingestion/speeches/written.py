"""Speeches that models wrote: what a reply brought, and the items that come of it.

A speech is an item of the topic it was asked for, by the source that its judge's id names. Where
the prompt is not the shipped one, or the limit another, the source says that too, so that no table
pools two ways of asking. Of several replies to one request the latest answered counts, as in the
marts. A speech on a motion that has been changed since is no item any more.
"""

from datetime import datetime

import duckdb

from inference.kinds.speeches import WRITTEN
from inference.speeches.written import WORD_LIMIT
from ingestion.batch import Counts
from ingestion.raw_tables import change_rows, remove_rows, upsert_from
from ingestion.speeches.motions import ITEM_HASH

# As SQL over `raw.debates`: what a topic's hash is made of. Whoever changes it makes every speech
# stale.
TOPIC_HASH = "sha256(motion)"
_KNOWN_TOPICS = (
    f"(select dataset_id, {TOPIC_HASH} as topic_hash, min(debate_id) as debate_id "
    "from raw.debates group by all)"
)
_SHIPPED = "speech_writing"
_WANTED = "wanted_speeches"


def settle_topics(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Let requests about a topic that has another id now name that one.

    A topic known by its motion alone gets its id from the next file that has one.

    Args:
        table: Where the requests are.
    """
    connection.execute(
        f"update {table} as written set debate_id = known.debate_id from {_KNOWN_TOPICS} as known "
        "where written.dataset_id = known.dataset_id and written.item_hash = known.topic_hash "
        "and written.debate_id not in (select debate_id from raw.debates)"
    )


def update_items(connection: duckdb.DuckDBPyConnection, now: datetime, label: str) -> Counts:
    """Make the items of written speeches those that the present replies bring.

    Args:
        now: For `_loaded_at`.
        label: For `_source_file`.
    """
    if connection.execute(f"from raw.{WRITTEN} limit 1").fetchone() is None:
        return Counts()
    change_rows(
        connection,
        WRITTEN,
        {"debate_id": "known.debate_id"},
        f"inner join {_KNOWN_TOPICS} as known on present.dataset_id = known.dataset_id "
        "and present.item_hash = known.topic_hash "
        "where present.debate_id not in (select debate_id from raw.debates)",
    )
    item_hash = ITEM_HASH.format(motion="debates.motion", text="speech")
    # Every name in these statements is a constant of this package.
    connection.execute(
        f"create or replace temp table {_WANTED} as from raw.speeches limit 0;"
        f"insert into {_WANTED} by name with latest as ("
        f"select * from raw.{WRITTEN} where request_status = 'answered' "
        "qualify row_number() over (partition by item_id order by answered_at desc nulls last, "
        "run_id desc) = 1) "
        "select latest.item_id, latest.dataset_id, latest.debate_id, "
        f"judge_id || case when template = '{_SHIPPED}' and word_limit = {WORD_LIMIT} then '' "
        "else ' (' || template || ', ' || word_limit || ' words)' end as source, "
        f"speech as text, latest.word_count, {item_hash} as item_hash "
        "from latest inner join raw.debates as debates using (debate_id) "
        f"where parse_status = 'parsed' and latest.item_hash = {TOPIC_HASH}"
    )
    gone = remove_rows(
        connection,
        "speeches",
        f"item_id in (select item_id from raw.{WRITTEN}) "
        f"and item_id not in (select item_id from {_WANTED})",
    )
    counts = upsert_from(connection, "speeches", _WANTED, source_file=label, now=now)
    connection.execute(f"drop table {_WANTED}")
    return counts + Counts(updated=gone)
