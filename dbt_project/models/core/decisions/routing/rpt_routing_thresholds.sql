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

halved as (
    select
        series_id,
        wanted_error,
        avg(cutoff) as threshold,
        sum(kept_sum) / sum(answer_count) as achieved_error,
        {{ half_width_over_clusters('kept_sum', 'answer_count') }} as error_half_width,
        sum(sent_sum) / sum(answer_count) as sent_share,
        {{ half_width_over_clusters('sent_sum', 'answer_count') }} as sent_half_width,
        sum(answer_count)::bigint as n_answers,
        count(*) as n_units
    from clusters
    group by series_id, wanted_error
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
    {{ share_ends('sent_share', 'sent_half_width', 'n_units') }},
    coalesce(halved.n_answers, 0) as n_answers,
    coalesce(halved.n_units, 0) as n_units,
    coalesce(failed.failed_count, 0) as failed_count,
    case when halved.achieved_error is null then {{ why_not_routed() }} end as reason
from wanted
left join halved using (series_id, wanted_error)
left join failed using (series_id)
