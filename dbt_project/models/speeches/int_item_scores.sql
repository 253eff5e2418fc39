with

answers as (select * from {{ ref('int_answers_pooled') }}),

-- Bounds and the released convention are the headline itself where they cannot differ from it.
judges as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        bool_or(value is null) as has_failures,
        bool_or(value_released is null or value is distinct from value_released)
            as has_released_differences
    from answers
    group by all
),

ruled as (
    select
        answers.*,
        judges.has_failures,
        judges.has_released_differences,
        coalesce(
            answers.value,
            {{ clip('round(human_mean)', 'scale_min', 'scale_max') }}
        ) as nearest,
        coalesce(
            answers.value,
            case
                when human_mean - scale_min >= scale_max - human_mean then scale_min
                when human_mean is not null then scale_max
            end
        ) as farthest,
        coalesce(answers.value_released, scale_min - 1) as released
    from answers
    inner join judges using (dataset_id, dimension, judge_id, template)
    inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
    left join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
),

long as (
    select *, {{ excluded() }} as failure_rule, value as score from ruled
    union all
    select *, {{ nearest() }}, nearest from ruled where has_failures
    union all
    select *, {{ farthest() }}, farthest from ruled where has_failures
    union all
    select *, {{ released() }}, released from ruled where has_released_differences
)

select
    dataset_id,
    dimension,
    judge_id,
    template,
    failure_rule,
    item_id,
    debate_id,
    avg(score) as score,
    count(score) as n_answers
from long
where score is not null
group by all
