with answers as (
    select * from {{ ref('int_answers_current') }} where is_current and not is_stale
)

select
    setting_id,
    any_value(condition_id) as condition_id,
    any_value(dataset_id) as dataset_id,
    any_value(split) as split,
    any_value(judge_id) as judge_id,
    any_value(template) as template,
    min(wording) as wording,
    any_value(temperature) as temperature,
    any_value(top_p) as top_p,
    any_value(target_tokens) as target_tokens,
    any_value(retrieval) as retrieval,
    any_value(is_trusted_only) as is_trusted_only,
    any_value(retriever) as retriever,
    count(*) as answer_count,
    count(*) filter (answer_status = 'parsed') as answered_count,
    count(distinct question_id) as question_count,
    avg(word_count) filter (answer_status = 'parsed') as mean_word_count,
    avg(tokens_out) filter (answer_status = 'parsed') as mean_tokens_out,
    avg(retrieval_count) filter (answer_status = 'parsed') as mean_retrieval_count
from answers
group by setting_id
