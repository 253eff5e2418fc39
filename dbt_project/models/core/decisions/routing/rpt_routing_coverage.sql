{#
How often the intervals hold people's mean (the sets people's label), by source and by the judge's own
score: what is promised is 90 % over all, not in each part. The share is of topics, each counting by the
share of its answers: a topic is what intervals are calibrated on.
#}
with

answers as (
    select
        *,
        quantile_cont(judge_value, [1 / 3.0, 2 / 3.0]) over (partition by series_id) as edges
    from {{ ref('rpt_routing_answers') }}
    where is_covered is not null
),

parts as (
    select *, 'all' as part, 'all' as part_value from answers
    union all
    select *, 'source', source from answers
    where source is not null
    union all
    select
        *,
        'score',
        ['lowest third', 'middle third', 'highest third'][
            1 + (judge_value > edges[1])::integer + (judge_value > edges[2])::integer
        ]
    from answers
),

topics as (
    select
        series_id,
        part,
        part_value,
        cluster_id,
        avg(is_covered::integer) as covered,
        avg(2 * uncertainty) as width,
        count(*) as answer_count
    from parts
    group by series_id, part, part_value, cluster_id
),

shares as (
    select
        series_id,
        part,
        part_value,
        count(*) as n_units,
        sum(answer_count)::bigint as n_answers,
        avg(covered) as coverage,
        avg(width) as mean_width,
        var_samp(covered) / count(*) as variance
    from topics
    group by series_id, part, part_value
),

halved as (
    select *, {{ clustered_half_width('variance', 'n_units') }} as half_width from shares
),

unsaid as (
    select series_id, 'all' as part, 'all' as part_value
    from {{ ref('int_routing_series') }}
    where series_id not in (select series_id from shares)
),

every as (
    select * from halved
    union all by name
    select * from unsaid
)

select
    series.* exclude (scale_min, scale_max),
    every.part,
    every.part_value,
    every.coverage,
    {{ share_ends('every.coverage', 'every.half_width', 'every.n_units') }},
    case when series.is_label then null else every.mean_width end as mean_width,
    coalesce(every.n_units, 0) as n_units,
    coalesce(every.n_answers, 0) as n_answers,
    case when every.coverage is null then {{ why_not_routed() }} end as reason
from every
inner join {{ ref('int_routing_series') }} as series using (series_id)
