{#
Agreement of every judge of a trend with some of the data drawn anew or left out, the same for all of
them: tau-c without one group of topics at a time, mean kappa in each draw of annotators. A judge
without a score in a group keeps its tau-c.
#}
with

points as (select * from {{ ref('int_size_points') }} where agreement is not null),

series as (
    select points.trend_id, points.judge_id, points.agreement, statistics.series_index
    from points
    inner join {{ ref('int_rank_statistics') }} as statistics
        using (dataset_id, dimension, judge_id, template)
    where
        points.measure = 'tau_c'
        and statistics.role = 'pooled' and statistics.failure_rule = {{ excluded() }}
),

jackknifed as (
    select series.trend_id, series.judge_id, jackknifed.group_index, jackknifed.tau_c
    from {{ ref('int_rank_jackknifed') }} as jackknifed
    inner join series using (series_index)
),

groups as (select distinct trend_id, group_index from jackknifed)

select
    series.trend_id,
    series.judge_id,
    groups.group_index as replicate,
    coalesce(jackknifed.tau_c, series.agreement) as agreement,
    null::bigint as n_units
from series
inner join groups using (trend_id)
left join jackknifed using (trend_id, judge_id, group_index)
union all
select
    points.trend_id,
    points.judge_id,
    kappas.replicate,
    kappas.mean_kappa,
    kappas.n_units
from points
inner join {{ ref('int_kappas_replicated') }} as kappas
    using (dataset_id, dimension, judge_id, template, min_shared_items)
where points.measure = 'kappa'
