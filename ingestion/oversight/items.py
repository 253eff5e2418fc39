"""Queries of what judges and debaters may read of stories, questions and debates about them.

Questions that no rule removed, with their stories; which answer is right goes to a second file.
Transcripts that are complete, about questions as they are now: debates of models, and rooms of
people. Of a room, judges are shown what debaters said and nothing else: what its own judge wrote
between the rounds tells what a person believed. The interface took quotes from the story, so that
they are shown as verified. The answers are in the room's order, 0 for pro and 1 for con.
"""

import re
from collections.abc import Iterator

import pyarrow as pa

from inference.oversight.debating.quotes import harmless
from inference.oversight.items import AS_IT_WENT
from ingestion.debates.turns import debate_hash

_QUOTE = re.compile(r"<quote>(.*?)</quote>", re.DOTALL)
# What a debate or a judgement is about, as SQL over a question and its story's `text`. The marts
# compute the same, to know stale answers.
READING_HASH = (
    "left(sha256(question || chr(10) || answer_0 || chr(10) || answer_1 || chr(10) || text), 16)"
)
TEXT_HASH = "left(sha256(text), 16)"
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
QUESTIONS = """
select
    questions.question_id, questions.item_hash, questions.question, questions.answer_0,
    questions.answer_1, questions.story_id, stories.text as story
from raw.reading_questions as questions
inner join raw.stories as stories on questions.story_id = stories.story_id
where questions.dataset_id = $dataset and questions.removal_rule is null
order by questions.question_id
"""
# A room of people has its answers in an order of its own, and stands under its own name.
RIGHT_ANSWERS = f"""
select question_id, right_answer::integer as right_answer
from raw.reading_questions
where dataset_id = $dataset and removal_rule is null and right_answer is not null
union all
select room_id, right_answer from ({JUDGEABLE_ROOMS})
order by question_id
"""
# One transcript may be in several runs; the latest counts, as in the marts. Flags of the quotes go
# with each turn for people who read; judges are shown the text alone.
_DEBATES = """
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
                'speaker': turns.speaker, 'round': turns.round::integer, 'text': turns.shown_text,
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
    latest.is_interactive, latest.argued_answer::integer as argued_answer, turns.turns
from latest
inner join raw.reading_questions as questions
    on latest.question_id = questions.question_id
    and latest.item_hash = questions.item_hash
    and questions.removal_rule is null
inner join turns
    on latest.run_id = turns.run_id and latest.request_id = turns.request_id
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
"""
TRANSCRIPTS = f"""
select false as is_room, * from ({_DEBATES})
union all
select true as is_room, * from ({_ROOMS})
order by is_room, transcript_id
"""


def with_safe_texts(transcripts: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Mark the quotes of rooms as verified, and make everything else in them no tag."""
    schema = transcripts.schema.remove(0)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in transcripts:
            rows = batch.to_pylist()
            for turn in (turn for row in rows if row["is_room"] for turn in row["turns"]):
                pieces = [harmless(piece) for piece in _QUOTE.split(turn["text"])]
                pieces[1::2] = [f"<v_quote>{quote}</v_quote>" for quote in pieces[1::2]]
                turn["text"] = "".join(pieces)
            yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())
