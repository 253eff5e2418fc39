{#
Up to which uncertainty answers may stand for the combined error to stay within the wanted one: the
largest of twenty cutoffs at which the upper end of that error's interval does so, as it does at all
smaller ones. It is chosen on the calibration topics, with the interval as wide as it will be on the
tested ones, which are three times as many in all and have no part in the choice. -1 where no answer
may stand.

Bates, Angelopoulos, Lei, Malik and Jordan (2021), Distribution-free, risk-controlling prediction sets.
#}
{% set steps = 20 %}
with

calibration as (
    select
        predictions.series_id,
        predictions.rotation,
        predictions.cluster_id,
        {{ routing_uncertainty('predictions', 'radii') }} as uncertainty,
        predictions.error
    from {{ ref('int_routing_predictions') }} as predictions
    inner join {{ ref('int_routing_radii') }} as radii using (series_id, rotation)
    where not predictions.is_test
),

edges as (
    select
        series_id,
        rotation,
        quantile_disc(uncertainty, [
            {%- for step in range(1, steps + 1) %}
                {{ step / steps }}{{ ',' if not loop.last }}
            {%- endfor %}
        ]) as cutoffs
    from calibration
    group by series_id, rotation
),

clusters as (
    select
        calibration.series_id,
        calibration.rotation,
        any_value(edges.cutoffs) as cutoffs,
        count(*) as answer_count,
        [
            {%- for step in range(1, steps + 1) %}
                coalesce(sum(error) filter (where uncertainty <= cutoffs[{{ step }}]), 0)
                {{- ',' if not loop.last }}
            {%- endfor %}
        ] as kept_sums
    from calibration
    inner join edges using (series_id, rotation)
    group by calibration.series_id, calibration.rotation, calibration.cluster_id
),

measured as (
    select
        series_id,
        rotation,
        any_value(cutoffs[step]) as cutoff,
        sum(kept_sums[step]) / sum(answer_count) as combined_error,
        count(*) as n_clusters,
        {{ half_width_over_clusters('kept_sums[step]', 'answer_count') }} as half_width
    from clusters
    cross join (select unnest(range(1, {{ steps + 1 }})) as step) as steps
    group by series_id, rotation, step
),

bounded as (
    select
        series_id,
        rotation,
        cutoff,
        max({{ clustered_share_bound(
            'combined_error', '(half_width / sqrt(3))', '(3 * n_clusters)', 1
        ) }}) over (
            partition by series_id, rotation order by cutoff
        ) as highest_error
    from measured
)

select
    bounded.series_id,
    bounded.rotation,
    wanted.wanted_error,
    coalesce(
        max(bounded.cutoff) filter (where bounded.highest_error <= wanted.wanted_error), -1.0
    ) as cutoff
from bounded
cross join (select unnest({{ var('routing_wanted_errors') }}::double[]) as wanted_error) as wanted
group by bounded.series_id, bounded.rotation, wanted.wanted_error
