{# What a wave says of each frozen item, all its answers averaged, beside people's mean. #}
with

answers as (
    select anchor_set, judge_line, dimension, wave, item_id, avg(value) as value
    from {{ loaded('anchor_answers') }}
    where value is not null
    group by anchor_set, judge_line, dimension, wave, item_id
),

speeches as (
    select
        speeches.item_id,
        speeches.debate_id as cluster_id,
        speeches.source,
        people.dimension,
        people.human_mean as people_value
    from {{ ref('stg_raw__speeches') }} as speeches
    left join {{ ref('int_human_means') }} as people using (item_id)
),

debates as (
    select
        debate_id as item_id,
        coalesce(cluster_id, debate_id) as cluster_id,
        null::varchar as source,
        'winner' as dimension,
        case human_winner when 'con' then 1.0 when 'pro' then 0.0 end as people_value
    from {{ ref('int_debates_judged') }}
),

known as (
    select * from speeches
    union all
    select * from debates
)

select
    waves.wave_id,
    answers.item_id,
    coalesce(known.cluster_id, answers.item_id) as cluster_id,
    known.source,
    answers.value,
    known.people_value
from answers
inner join {{ ref('int_anchor_waves') }} as waves using (anchor_set, judge_line, dimension, wave)
left join known
    on
        answers.item_id = known.item_id
        and (answers.dimension = known.dimension or known.dimension is null)
