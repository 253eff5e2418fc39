with

partial_answers as (
    select question_id, count(*) as partial_answer_count
    from {{ loaded('partial_answers') }}
    group by question_id
),

documents as (
    select question_id, count(*) as document_count
    from {{ loaded('documents') }}
    group by question_id
),

answers as (
    select question_id, count(*) as answer_count
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
    group by question_id
)

select
    questions.* exclude (extra),
    {{ words_in('questions.question') }}::bigint as word_count,
    coalesce(partial_answers.partial_answer_count, 0)::bigint as partial_answer_count,
    coalesce(documents.document_count, 0)::bigint as document_count,
    coalesce(answers.answer_count, 0)::bigint as answer_count
from {{ loaded('questions') }} as questions
left join partial_answers using (question_id)
left join documents using (question_id)
left join answers using (question_id)
