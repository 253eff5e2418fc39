{#
What full-text search looks in, and where a page opens each text. A motion that many debates share is
one text; a reply without a word of three letters, such as a bare score, is none.
#}
with

items as (select * from {{ ref('dim_item') }}),

debates as (select * from {{ ref('dim_debate') }}),

transcripts as (select * from {{ ref('dim_oversight_transcript') }}),

questions as (select * from {{ ref('dim_question') }}),

-- A speech of a debate about a story is a turn of its transcript.
speeches as (
    select items.*, debates.format
    from items
    inner join debates using (debate_id)
    where debates.format not like 'story-%'
),

first_items as (
    select debate_id, min(item_id) as item_id from items where side is null group by debate_id
),

motions as (
    select
        debates.dataset_id,
        debates.motion,
        min(debates.debate_id) as debate_id,
        any_value(debates.format) as format,
        min(first_items.item_id) as item_id
    from debates
    left join first_items using (debate_id)
    where debates.format not like 'story-%'
    group by debates.dataset_id, debates.motion
),

-- A story, or a question about one, is read in a debate about it.
debated as (
    select cluster_id as subject_id, min(transcript_id) as transcript_id
    from transcripts
    group by cluster_id
    union
    select question_id, min(transcript_id)
    from transcripts
    group by question_id
),

replies as (
    select
        responses.response_id,
        responses.judge_id,
        responses.response,
        split_part(coalesce(responses.item_id, responses.debate_id), ':', 1) as dataset_id,
        coalesce(
            items.motion, debates.motion, questions.question, transcripts.question
        ) as title
    from {{ ref('dim_response') }} as responses
    left join items on responses.item_id = items.item_id
    left join debates on responses.debate_id = debates.debate_id
    left join questions on responses.item_id = questions.question_id
    left join transcripts on responses.item_id = transcripts.transcript_id
    where regexp_matches(responses.response, '\p{L}{3}')
    -- A reply that holds several scores is one text.
    qualify
        row_number() over (
            partition by responses.run_id, responses.request_id order by responses.response_id
        ) = 1
),

texts as (
    select
        'motion' as text_kind,
        debate_id as part_id,
        dataset_id,
        null::varchar as judge_id,
        motion as title,
        motion as text,
        case
            when format = 'british_parliamentary' then 'parliamentary'
            when item_id is null then 'debate'
            else 'speech'
        end as opens,
        case
            when format = 'british_parliamentary' or item_id is null then debate_id
            else item_id
        end as opens_id
    from motions
    union all
    select
        'speech',
        item_id,
        dataset_id,
        null,
        motion,
        text,
        case
            when format = 'british_parliamentary' then 'parliamentary'
            when speech_order is null and side is null then 'speech'
            else 'debate'
        end,
        case when speech_order is null and side is null then item_id else debate_id end
    from speeches
    union all
    select
        'story',
        stories.story_id,
        stories.dataset_id,
        null,
        stories.title,
        stories.text,
        case when debated.transcript_id is null then 'nothing' else 'transcript' end,
        coalesce(debated.transcript_id, stories.story_id)
    from {{ ref('dim_story') }} as stories
    left join debated on stories.story_id = debated.subject_id
    union all
    select
        'question',
        question_id,
        dataset_id,
        null,
        question,
        question as question_text,
        'question',
        question_id as opened_question_id
    from questions
    union all
    select
        'question',
        asked.question_id,
        asked.dataset_id,
        null,
        asked.question,
        concat_ws(chr(10), asked.question, asked.answer_0, asked.answer_1),
        case when debated.transcript_id is null then 'nothing' else 'transcript' end,
        coalesce(debated.transcript_id, asked.question_id)
    from {{ ref('dim_reading_question') }} as asked
    left join debated on asked.question_id = debated.subject_id
    union all
    select
        'transcript',
        concat_ws('/', turns.transcript_id, turns.turn, turns.candidate),
        transcripts.dataset_id,
        turns.model_id,
        transcripts.question,
        turns.text,
        'transcript',
        turns.transcript_id
    from {{ ref('dim_oversight_turn') }} as turns
    inner join transcripts using (transcript_id)
    union all
    select
        'transcript',
        concat_ws('/', transcript_id, position),
        dataset_id,
        null,
        speaker,
        current_text,
        'recording',
        transcript_id
    from {{ ref('dim_transcript_segment') }}
    union all
    select
        'reply',
        response_id,
        dataset_id,
        judge_id,
        title,
        response,
        'reply',
        response_id as opened_response_id
    from replies
    union all
    select
        'comment',
        concat_ws('/', disagreement_id, person),
        dataset_id,
        judge_id,
        title,
        comment,
        'review',
        disagreement_id
    from {{ ref('fct_review') }}
)

select
    text_kind || ':' || part_id as text_id,
    * exclude (part_id)
from texts
where trim(text) != ''
