with

answers as (select * from {{ ref('int_answers_unioned') }})

select
    probabilities.* exclude (run_id),
    answers.run_id,
    answers.judge_id,
    answers.answer_kind,
    answers.is_current,
    answers.is_stale
from {{ ref('stg_raw__label_probabilities') }} as probabilities
inner join answers using (response_id)
