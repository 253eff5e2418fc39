with

arms as (
    select distinct arm_id, {{ oversight_keys() | join(', ') }}
    from {{ ref('int_oversight_units') }}
),

sums as (
    select
        arm_id, event, bin, cluster_id,
        sum(outcome) as cluster_sum,
        count(*) as cluster_count,
        sum(forecast) as forecast_sum,
        min(forecast) as p_low,
        max(forecast) as p_high
    from {{ ref('int_oversight_forecasts') }} as forecasts
    group by arm_id, event, bin, cluster_id
),

measured as (
    select
        arm_id,
        event,
        bin,
        sum(cluster_count)::bigint as n_units,
        count(*) as n_clusters,
        min(p_low) as p_low,
        max(p_high) as p_high,
        -- Of equal forecasts the mean is rounded to either side of them.
        greatest(min(p_low), least(max(p_high), sum(forecast_sum) / sum(cluster_count))) as mean_p,
        sum(cluster_sum) / sum(cluster_count) as share,
        {{ half_width_over_clusters('cluster_sum', 'cluster_count') }} as half_width
    from sums
    group by arm_id, event, bin
)

select
    {{ oversight_keys() | join(', ') }},
    event,
    bin,
    n_units,
    n_clusters,
    p_low,
    p_high,
    mean_p,
    share,
    {{ share_ends('share', 'half_width', 'n_clusters') }}
from measured
inner join arms using (arm_id)
