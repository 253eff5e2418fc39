with

transcripts as (
    select question_id, count(*) as transcript_count
    from {{ ref('int_oversight_transcripts') }}
    where source = 'model' and status = 'complete'
    group by question_id
),

judgements as (
    select question_id, count(*) as judgement_count
    from {{ ref('int_oversight_judgements') }}
    where is_final and answer_order != 'both' and probe = 'none' and lean is not null
    group by question_id
)

select
    questions.* exclude (extra),
    questions.removal_rule is null as is_kept,
    coalesce(transcripts.transcript_count, 0) as transcript_count,
    coalesce(judgements.judgement_count, 0) as judgement_count
from {{ loaded('reading_questions') }} as questions
left join transcripts using (question_id)
left join judgements using (question_id)
