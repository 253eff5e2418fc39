"""What judges may read of debates about stories: transcripts as they are shown, without the story.

One file a data set, named by its own bytes, with the data set's pointer to the current one. Only
transcripts that are complete, about questions as they are now and that no rule removes: what models
wrote, and what people said in rooms.

Of rooms, judges are shown what debaters said and nothing else: what the room's own judge wrote
between the rounds says what a person believed. Quotes were taken from the story by the interface,
so that they are shown as verified. The answers stand in the room's order, 0 for pro and 1 for con.
"""

import re
from pathlib import Path

import duckdb
import pyarrow as pa

from inference.oversight.debating.quotes import harmless
from inference.oversight.items import AS_IT_WENT
from ingestion.debates.turns import debate_hash
from ingestion.item_files import renew, write_named
from warehouse.home import Home

_QUOTE = re.compile(r"<quote>(.*?)</quote>", re.DOTALL)
# A source says which rooms are over and have a story. The marts compute the same hash, to know
# stale judgements.
JUDGEABLE_ROOMS = """
select
    debates.debate_id as room_id,
    debates.extra ->> '$.question_id' as question_id,
    debates.motion as question,
    debates.extra ->> '$.answers[0]' as answer_0,
    debates.extra ->> '$.answers[1]' as answer_1,
    (debates.extra ->> '$.correct_answer')::integer as right_answer,
    replace(debates.format, 'story-', '') as protocol,
    debates.context
from (
    select * replace (case when json_valid(extra) then extra end as extra)
    from raw.debates
    where dataset_id = $dataset and format in ('story-debate', 'story-consultancy')
) as debates
where
    (debates.extra ->> '$.is_judgeable') = 'true'
    and (debates.extra ->> '$.question_id') is not null
"""
_ROOMS = f"""
with rooms as ({JUDGEABLE_ROOMS}),

hashes as ({debate_hash("(from raw.speeches where debate_id in (select room_id from rooms))")}),

turns as (
    select
        debate_id,
        min(side) as only_side,
        list(
            {{
                'speaker': case side when 'pro' then 'debater_0' else 'debater_1' end,
                'round': try_cast(round as integer), 'text': text,
                'quotes': []::struct(quote varchar, is_verified boolean, similarity double)[]
            }}
            order by speech_order
        ) as turns
    from raw.speeches
    where side is not null and debate_id in (select room_id from rooms)
    group by debate_id
)

select
    rooms.room_id as transcript_id,
    left(sha256(hashes.debate_hash || chr(10) || rooms.context), 16) as transcript_hash,
    rooms.question_id, rooms.question, rooms.answer_0, rooms.answer_1, questions.story_id,
    rooms.protocol, '{AS_IT_WENT}' as turn_order, false as is_interactive,
    case when rooms.protocol = 'consultancy' then (turns.only_side = 'con')::integer else 0 end
        as argued_answer,
    turns.turns
from rooms
inner join raw.reading_questions as questions
    on rooms.question_id = questions.question_id and questions.removal_rule is null
inner join turns on rooms.room_id = turns.debate_id
inner join hashes on rooms.room_id = hashes.debate_id
order by rooms.room_id
"""
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


def read_rooms(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> pa.Table:
    """Return a data set's rooms in the columns of its transcripts; no row without any."""
    found = connection.execute(_ROOMS, {"dataset": dataset_id}).to_arrow_table()
    rows = found.to_pylist()
    for row in rows:
        row["turns"] = [turn | {"text": _shown(turn["text"])} for turn in row["turns"]]
    return pa.Table.from_pylist(rows, found.schema)


def _shown(text: str) -> str:
    """Return a turn with its quotes marked as verified, in which nothing else is a tag."""
    return "".join(
        f"<v_quote>{harmless(piece)}</v_quote>" if place % 2 else harmless(piece)
        for place, piece in enumerate(_QUOTE.split(text))
    )


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


def export_transcripts(connection: duckdb.DuckDBPyConnection, home: Home) -> None:
    """Write the current transcripts of data sets for judges.

    Loading journals does it by itself.

    Raises:
        NoSpace: The disk is full. The pointers still name the files of before.
    """
    renew(connection, home, TRANSCRIPTS, "oversight_transcripts", write_transcripts)
