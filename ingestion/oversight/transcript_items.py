"""What judges may read of debates about stories: transcripts as they are shown, without the story.

One file a data set, named by its own bytes, with the data set's pointer to the current one. Only
transcripts that are complete, about questions as they are now and that no rule removes: what models
wrote, and what people said in rooms.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import duckdb
import pyarrow as pa

from ingestion.item_files import renew, write_named
from ingestion.oversight.transcript_rooms import read_rooms
from warehouse.home import Home

TRANSCRIPTS = "transcripts"
# One transcript may be in several runs; the latest counts, as in the marts. Flags of the quotes go
# with each turn for people who read; judges are shown the text alone.
_ROW_GROUP = 64
_QUERY = """
with latest as (
    select transcripts.*
    from raw.oversight_transcripts as transcripts
    where transcripts.dataset_id = $dataset and transcripts.status = 'complete'
    qualify row_number() over (
        partition by transcripts.transcript_id
        order by transcripts.answered_at desc, transcripts.run_id desc
    ) = 1
),

quotes as (
    select
        run_id, request_id, turn, candidate,
        list(
            {'quote': quote, 'is_verified': is_verified, 'similarity': similarity} order by position
        ) as quotes
    from raw.oversight_quotes
    group by all
),

turns as (
    select
        turns.run_id, turns.request_id,
        list(
            {
                'speaker': turns.speaker, 'round': turns.round, 'text': turns.shown_text,
                'quotes': coalesce(quotes.quotes, [])
            }
            order by turns.turn
        ) as turns
    from raw.oversight_turns as turns
    left join quotes using (run_id, request_id, turn, candidate)
    where turns.is_chosen
    group by all
)

select
    latest.transcript_id, latest.transcript_hash, latest.question_id, questions.question,
    questions.answer_0, questions.answer_1, questions.story_id, latest.protocol, latest.turn_order,
    latest.is_interactive, latest.argued_answer, turns.turns
from latest
inner join raw.reading_questions as questions
    on latest.question_id = questions.question_id
    and latest.item_hash = questions.item_hash
    and questions.removal_rule is null
inner join turns
    on latest.run_id = turns.run_id and latest.request_id = turns.request_id
order by latest.transcript_id
"""


def write_transcripts(
    connection: duckdb.DuckDBPyConnection, folder: Path, dataset_id: str
) -> dict[str, str]:
    """Write a data set's transcripts and return the file's name for the pointer, if any."""
    rows = connection.execute(_QUERY, {"dataset": dataset_id}).to_arrow_table()
    rooms = read_rooms(connection, dataset_id)
    rows = pa.concat_tables([rows, rooms.cast(rows.schema)])
    if not rows.num_rows:
        return {}
    return {TRANSCRIPTS: write_named(folder, TRANSCRIPTS, rows, _ROW_GROUP)}


def export_transcripts(
    connection: duckdb.DuckDBPyConnection, home: Home, dataset_ids: Collection[str] | None = None
) -> dict[str, Path]:
    """Write the current transcripts of data sets for judges, and return the files by data set.

    Loading journals does it by itself.

    Raises:
        NoSpace: The disk is full. The pointers still name the files of before.
    """

    def write(folder: Path, dataset_id: str) -> dict[str, str]:
        return write_transcripts(connection, folder, dataset_id)

    return renew(connection, home, TRANSCRIPTS, "oversight_transcripts", write, dataset_ids)
