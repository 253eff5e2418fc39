{#
What a threshold chosen for a wanted error does on topics that had no part in choosing it: the error
that is left, and the share of answers that people must see.
#}
with

answers as (
    select
        predictions.series_id,
        predictions.cluster_id,
        cutoffs.wanted_error,
        cutoffs.cutoff,
        ({{ routing_uncertainty('predictions', 'radii') }} > cutoffs.cutoff + 1e-12)::integer
            as is_sent,
        predictions.error
    from {{ ref('int_routing_predictions') }} as predictions
    inner join {{ ref('int_routing_radii') }} as radii using (series_id, rotation)
    inner join {{ ref('int_routing_cutoffs') }} as cutoffs using (series_id, rotation)
    where predictions.is_test and predictions.error is not null
),

clusters as (
    select
        series_id,
        wanted_error,
        cluster_id,
        avg(nullif(cutoff, -1)) as cutoff,
        count(*) as answer_count,
        sum(is_sent) as sent_sum,
        sum(error * (1 - is_sent)) as kept_sum
    from answers
    group by series_id, wanted_error, cluster_id
),

totals as (
    select
        *,
        count(*) over choice as n_clusters,
        sum(answer_count) over choice as n_answers,
        sum(kept_sum) over choice / sum(answer_count) over choice as achieved_error,
        sum(sent_sum) over choice / sum(answer_count) over choice as sent_share
    from clusters
    window choice as (partition by series_id, wanted_error)
),

measured as (
    select
        series_id,
        wanted_error,
        avg(cutoff) as threshold,
        any_value(achieved_error) as achieved_error,
        any_value(sent_share) as sent_share,
        any_value(n_answers)::bigint as n_answers,
        any_value(n_clusters) as n_units,
        {{ clustered_variance(
            'kept_sum', 'answer_count', 'achieved_error', 'n_answers', 'n_clusters'
        ) }}
            as error_variance,
        {{ clustered_variance(
            'sent_sum', 'answer_count', 'sent_share', 'n_answers', 'n_clusters'
        ) }}
            as sent_variance
    from totals
    group by series_id, wanted_error
),

halved as (
    select
        *,
        {{ clustered_half_width('error_variance', 'n_units') }} as error_half_width,
        {{ clustered_half_width('sent_variance', 'n_units') }} as sent_half_width
    from measured
),

-- People see these besides.
failed as (
    select series_id, count(*) as failed_count
    from {{ ref('int_routing_answers') }}
    where judge_value is null and people_value is not null
    group by series_id
),

wanted as (
    select series.*, unnest({{ var('routing_wanted_errors') }}::double[]) as wanted_error
    from {{ ref('int_routing_series') }} as series
)

select
    wanted.* exclude (scale_min, scale_max),
    wanted.wanted_error * (wanted.scale_max - wanted.scale_min) as wanted_error_points,
    halved.threshold,
    halved.achieved_error,
    case
        when halved.sent_share < 1
            then {{ clustered_share_bound('achieved_error', 'error_half_width', 'n_units', -1) }}
    end as achieved_error_low,
    case
        when halved.sent_share < 1
            then {{ clustered_share_bound('achieved_error', 'error_half_width', 'n_units', 1) }}
    end as achieved_error_high,
    halved.sent_share,
    {{ clustered_share_bound('sent_share', 'sent_half_width', 'n_units', -1) }} as sent_share_low,
    {{ clustered_share_bound('sent_share', 'sent_half_width', 'n_units', 1) }} as sent_share_high,
    coalesce(halved.n_answers, 0) as n_answers,
    coalesce(halved.n_units, 0) as n_units,
    coalesce(failed.failed_count, 0) as failed_count,
    case when halved.achieved_error is null then {{ why_not_routed() }} end as reason
from wanted
left join halved using (series_id, wanted_error)
left join failed using (series_id)
