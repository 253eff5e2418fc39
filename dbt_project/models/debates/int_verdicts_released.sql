{#
Accuracy of verdicts as the bias paper's released program reads replies: what it cannot read is left out
and counted. Repeats become a share first, as in the strict reading; the interval is of a ratio clustered
by resolution, since debates that share one hang together.
#}
{% set grain = ['setting_id', 'is_all_rounds', 'round_count'] %}
with

settings as (
    select setting_id, experiment, dataset_id, judge_id, variant_id
    from {{ ref('int_verdict_settings') }}
),

debates as (
    select debate_id, debate_key, cluster_key, round_count, human_winner
    from {{ ref('int_debates_judged') }}
    where human_winner in ('pro', 'con')
),

units as (
    select
        settings.setting_id,
        debates.cluster_key,
        debates.round_count,
        debates.debate_key,
        count(*) as n_answers,
        count(verdicts.winner_released) as parsed_count,
        avg((verdicts.winner_released = debates.human_winner)::int) as right_share
    from {{ ref('fct_verdict') }} as verdicts
    inner join settings using (experiment, dataset_id, judge_id, variant_id)
    inner join debates using (debate_id)
    where
        verdicts.is_current and not verdicts.is_stale and verdicts.parse_status_released is not null
    group by all
),

clusters as (
    select
        setting_id,
        grouping(round_count) = 1 as is_all_rounds,
        round_count,
        cluster_key,
        sum(n_answers) as n_answers,
        sum(parsed_count) as parsed_count,
        count(right_share) as n_units,
        coalesce(sum(right_share), 0) as right_sum
    from units
    group by grouping sets (
        (setting_id, cluster_key, round_count), (setting_id, cluster_key)
    )
),

totals as (
    select
        setting_id,
        is_all_rounds,
        round_count,
        sum(n_answers)::bigint as n_answers,
        sum(parsed_count)::bigint as parsed_count,
        sum(n_units)::bigint as n_units,
        count(*) filter (n_units > 0) as n_clusters,
        sum(right_sum) / nullif(sum(n_units), 0) as accuracy
    from clusters
    where is_all_rounds or round_count is not null
    group by setting_id, is_all_rounds, round_count
),

variances as (
    select
        totals.setting_id,
        totals.is_all_rounds,
        totals.round_count,
        {{ clustered_variance(
            'clusters.right_sum', 'clusters.n_units', 'totals.accuracy', 'totals.n_units',
            'totals.n_clusters'
        ) }} as variance
    from totals
    inner join clusters on {{ alike('totals', 'clusters', grain) }}
    where clusters.n_units > 0
    group by totals.setting_id, totals.is_all_rounds, totals.round_count
),

halved as (
    select
        totals.*,
        {{ clustered_half_width('variances.variance', 'totals.n_clusters') }} as half_width
    from totals
    left join variances on {{ alike('totals', 'variances', grain) }}
)

select
    * exclude (half_width),
    n_answers - parsed_count as unparsed_count,
    {{ share_ends('accuracy', 'half_width', 'n_clusters') }}
from halved
