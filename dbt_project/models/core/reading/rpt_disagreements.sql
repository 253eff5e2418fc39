{#
Where a judge departs from people, from the other judges, or from itself. Every answer is a number: a
score, or 1 where pro won, 0 where con did and one half for a tie; the size of a disagreement is a
share of the scale. People decide who won by the data set's own rule. Ensembles have no answers of
their own.
#}
with

scores as (
    select *
    from {{ ref('fct_score') }}
    where is_current and not is_stale and value is not null
),

verdicts as (
    select *, case winner when 'pro' then 1.0 when 'con' then 0.0 else 0.5 end as value
    from {{ ref('fct_verdict') }}
    where is_current and not is_stale and winner is not null
),

answers as (
    select
        'speech' as unit_kind,
        scores.item_id as unit_id,
        scores.dataset_id,
        items.motion as title,
        scores.judge_id,
        scores.template,
        scores.dimension,
        scores.response_id,
        scores.value,
        people.human_mean as people_value,
        scales.scale_max - scales.scale_min as scale_width
    from scores
    inner join {{ ref('dim_item') }} as items on scores.item_id = items.item_id
    inner join {{ ref('dim_dimension') }} as scales
        on scores.dataset_id = scales.dataset_id and scores.dimension = scales.dimension
    left join {{ ref('int_human_means') }} as people
        on scores.item_id = people.item_id and scores.dimension = people.dimension
    union all
    select
        'debate',
        verdicts.debate_id,
        verdicts.dataset_id,
        debates.motion,
        verdicts.judge_id,
        verdicts.template,
        verdicts.outcome,
        verdicts.response_id,
        verdicts.value,
        case
            when verdicts.outcome != 'winner' then null
            when debates.human_winner = 'pro' then 1.0
            when debates.human_winner = 'con' then 0.0
            when debates.human_winner = 'tie' then 0.5
        end,
        1.0
    from verdicts
    inner join {{ ref('dim_debate') }} as debates using (debate_id)
),

judged as (
    select
        unit_kind,
        unit_id,
        dataset_id,
        judge_id,
        template,
        dimension,
        any_value(title) as title,
        any_value(people_value) as people_value,
        any_value(scale_width) as scale_width,
        count(*) as answer_count,
        avg(value) as judge_value,
        min(value) as lowest_value,
        max(value) as highest_value,
        min(response_id) as first_response_id,
        arg_max(response_id, (abs(value - people_value), response_id)) as against_people_id
    from answers
    group by unit_kind, unit_id, dataset_id, judge_id, template, dimension
),

beside_others as (
    select
        *,
        count(*) over unit - 1 as other_judge_count,
        (sum(judge_value) over unit - judge_value) / nullif(count(*) over unit - 1, 0)
            as others_value
    from judged
    window unit as (partition by unit_kind, unit_id, template, dimension)
),

disagreements as (
    select
        *,
        'people' as disagreement_kind,
        people_value as other_value,
        null::bigint as other_count,
        coalesce(against_people_id, first_response_id) as response_id
    from beside_others
    union all
    select *, 'judges', others_value, other_judge_count, first_response_id
    from beside_others
    union all
    -- Repeats, and the same debate with its sides in another order or under other names.
    select *, 'itself', null, null, first_response_id
    from beside_others
    where answer_count > 1
),

measured as (
    select
        *,
        case disagreement_kind
            when 'itself' then highest_value - lowest_value
            else abs(judge_value - other_value)
        end / scale_width as size
    from disagreements
)

select
    left(
        md5(concat_ws('|', disagreement_kind, unit_kind, unit_id, judge_id, template, dimension)),
        16
    ) as disagreement_id,
    disagreement_kind,
    unit_kind,
    unit_id,
    dataset_id,
    title,
    judge_id,
    template,
    dimension,
    judge_value,
    lowest_value,
    highest_value,
    answer_count,
    other_value,
    other_count,
    size,
    response_id
from measured
-- Sums of many numbers are off by less than this.
where size > 1e-9
