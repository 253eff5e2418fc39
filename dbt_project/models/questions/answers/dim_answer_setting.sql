with answers as (
    select * from {{ ref('int_answers_current') }} where is_current and not is_stale
)

select
    setting_id,
    {{ alike_in_group(['condition_id', 'dataset_id', 'split', 'judge_id', 'template']) }},
    min(wording) as wording,
    {{ alike_in_group([
        'temperature', 'top_p', 'target_tokens', 'retrieval', 'is_trusted_only', 'retriever'
    ]) }},
    count(*) as answer_count,
    count(*) filter (answer_status = 'parsed') as answered_count,
    count(distinct question_id) as question_count,
    avg(word_count) filter (answer_status = 'parsed') as mean_word_count,
    avg(tokens_out) filter (answer_status = 'parsed') as mean_tokens_out,
    avg(retrieval_count) filter (answer_status = 'parsed') as mean_retrieval_count
from answers
group by setting_id
