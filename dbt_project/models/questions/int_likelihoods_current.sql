with

answers as (
    select answer_id, question_id, answer_hash as answer_hash_now
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
),

partial_answers as (
    select partial_answer_id, text_hash as text_hash_now from {{ loaded('partial_answers') }}
)

select
    likelihoods.*,
    answers.question_id,
    coalesce(answer_hash_now != answer_hash, true) or coalesce(text_hash_now != text_hash, true)
        as is_stale,
    row_number() over (
        partition by
            judge_id, answer_id, answer_hash, partial_answer_id, text_hash, metric, template
        order by
            case when status = 'scored' then 0 else 1 end,
            answered_at desc nulls last,
            loaded_at desc,
            run_id desc
    ) = 1 as is_current
from {{ ref('stg_raw__likelihoods') }} as likelihoods
left join answers using (answer_id)
left join partial_answers using (partial_answer_id)
