with

forecasts as (select * from {{ ref('int_oversight_forecasts') }}),

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
    from forecasts
    group by arm_id, event, bin, cluster_id
),

bins as (
    select
        *,
        sum(cluster_sum) over bin_of / sum(cluster_count) over bin_of as share,
        (sum(cluster_count) over bin_of)::bigint as n_units,
        count(*) over bin_of as n_clusters
    from sums
    window bin_of as (partition by arm_id, event, bin)
),

measured as (
    select
        arm_id,
        event,
        bin,
        any_value(n_units) as n_units,
        any_value(n_clusters) as n_clusters,
        min(p_low) as p_low,
        max(p_high) as p_high,
        -- Of equal forecasts the mean is rounded to either side of them.
        greatest(min(p_low), least(max(p_high), sum(forecast_sum) / any_value(n_units))) as mean_p,
        any_value(share) as share,
        {{ clustered_variance('cluster_sum', 'cluster_count', 'share', 'n_units', 'n_clusters') }}
            as variance
    from bins
    group by arm_id, event, bin
),

widths as (
    select *, {{ clustered_half_width('variance', 'n_clusters') }} as half_width from measured
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
from widths
inner join arms using (arm_id)
