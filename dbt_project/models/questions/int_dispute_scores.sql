{# Repeats are averaged to a share before anything else. #}
with

scores as (select * from {{ ref('int_answer_scores_current') }} where is_current),

answers as (
    select answer_id, dataset_id, question_id
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
),

averaged as (
    select
        item_id as answer_id,
        dimension as metric,
        judge_id as evaluator_id,
        template as evaluator_template,
        min(wording) filter (where not is_stale) as evaluator_wording,
        count(*) filter (where not is_stale) as n_asked,
        count(value) filter (where not is_stale) as n_parsed,
        count(*) filter (where is_stale) as stale_count,
        avg(value) filter (where not is_stale) as score,
        avg(value_released) filter (where not is_stale) as score_released,
        min(answer_status) filter (where not is_stale and value is null) as failure
    from scores
    group by item_id, dimension, judge_id, template
)

select
    answers.dataset_id,
    answers.question_id,
    averaged.* exclude (failure),
    case
        when n_asked = 0 then 'stale'
        when n_parsed = 0 then coalesce(failure, {{ unparsed() }})
    end as reason
from averaged
inner join answers using (answer_id)
