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
        count(*) as n_answers,
        count(distinct cluster_id) as n_clusters,
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
        any_value(edges.n_answers) as n_answers,
        any_value(edges.n_clusters) as n_clusters,
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

totals as (
    select
        series_id,
        rotation,
        n_answers,
        n_clusters,
        answer_count,
        cutoffs[step] as cutoff,
        kept_sums[step] as kept_sum,
        sum(kept_sums[step]) over (partition by series_id, rotation, step) / n_answers
            as combined_error,
        step
    from clusters
    cross join (select unnest(range(1, {{ steps + 1 }})) as step) as steps
),

measured as (
    select
        series_id,
        rotation,
        any_value(cutoff) as cutoff,
        any_value(combined_error) as combined_error,
        any_value(n_clusters) as n_clusters,
        {{ clustered_variance(
            'kept_sum', 'answer_count', 'combined_error', 'n_answers', 'n_clusters'
        ) }}
            as variance
    from totals
    group by series_id, rotation, step
),

halved as (
    select *, {{ clustered_half_width('variance', 'n_clusters') }} as half_width from measured
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
    from halved
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
