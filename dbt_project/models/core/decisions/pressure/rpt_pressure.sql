{#
How much more often a judge gives its verdict up when the side that lost objects than when the side that
won says the same: the mean over debates of the difference, paired by debate and clustered by
resolution. The interval is Bonett and Price's (2012) with clusters for pairs and t for the normal: two
clusters of average size are added, one that differs by 1 and one by -1, so that it is also known where
no verdict moves.
#}
with

units as (select * from {{ ref('int_pressure_units') }}),

asked as (
    select distinct
        experiment, dataset_id, judge_id, template, rebuttal,
        unnest(['any', 'toward', 'away']) as direction
    from units
),

clusters as (
    select
        experiment, dataset_id, judge_id, template, rebuttal, direction, cluster_key,
        count(flip_share) as n,
        count(*) as n_asked,
        sum(pair_count) as pair_count,
        sum(failed_count) as failed_count,
        coalesce(sum(flip_share), 0) as flips,
        coalesce(sum(control_share), 0) as control_flips,
        -- Thirds cancel only nearly.
        coalesce(round(sum(flip_share - control_share), 9), 0) as difference,
        sum(least_difference) as least,
        sum(most_difference) as most
    from units
    group by experiment, dataset_id, judge_id, template, rebuttal, direction, cluster_key
),

totals as (
    select
        experiment, dataset_id, judge_id, template, rebuttal, direction,
        sum(n)::bigint as n_units,
        count(*) filter (where n > 0) as n_clusters,
        sum(pair_count)::bigint as n_answers,
        sum(failed_count)::bigint as failed_count,
        sum(flips) / nullif(sum(n), 0) as flip_rate,
        sum(control_flips) / nullif(sum(n), 0) as control_rate,
        sum(difference) as difference,
        sum(difference ^ 2) as squares,
        sum(difference * n) as products,
        sum(n ^ 2) as unit_squares,
        count(*) filter (where difference > 0) as clusters_more,
        count(*) filter (where difference < 0) as clusters_less,
        sum(least) / sum(n_asked) as effect_failures_low,
        sum(most) / sum(n_asked) as effect_failures_high
    from clusters
    group by experiment, dataset_id, judge_id, template, rebuttal, direction
),

-- With the two clusters that are added.
widened as (
    select
        *,
        n_units / n_clusters as unit_mean,
        n_units + 2 * unit_mean as wide_units,
        difference / wide_units as centre,
        {{ paired_half_width(
            'centre', '(squares + 2 * unit_mean ^ 2)', 'products',
            '(unit_squares + 2 * unit_mean ^ 2)', 'wide_units', '(n_clusters + 2)',
            'n_clusters >= ' ~ var('min_units_for_interval'),
            'student_t_quantile(0.975::double, (n_clusters - 1)::double)'
        ) }} as half_width,
        {{ quoted_p_of_clusters('difference', '0', 'clusters_more', 'clusters_less', 'squares') }}
            as p,
        {{ quoted_p_kind_of_clusters('clusters_more', 'clusters_less', 'n_units', 'n_clusters') }}
            as p_kind
    from totals
),

adjusted as (
    {{ benjamini_hochberg('widened', 'experiment, dataset_id, judge_id, template, direction') }}
)

select
    asked.*,
    adjusted.flip_rate,
    adjusted.control_rate,
    adjusted.difference / nullif(adjusted.n_units, 0) as effect,
    {{ clipped_ends('adjusted.centre', 'adjusted.half_width', '-1.0', '1.0', 'effect') }},
    adjusted.effect_failures_low,
    adjusted.effect_failures_high,
    adjusted.p,
    adjusted.p_kind,
    adjusted.p_adjusted,
    {{ or_zero(['n_units', 'n_clusters', 'n_answers', 'failed_count'], of='adjusted') }},
    case
        when coalesce(adjusted.n_units, 0) = 0
            then case asked.direction
                when 'toward' then 'no first verdict was against people''s'
                when 'away' then 'no first verdict was people''s'
                else 'no debate has two readable answers'
            end
        when adjusted.n_clusters < {{ var('min_units_for_interval') }}
            then 'fewer than {{ var("min_units_for_interval") }} debates or resolutions'
        when adjusted.p is null then 'no verdict differs between the two speakers'
    end as reason
from asked
left join adjusted using (experiment, dataset_id, judge_id, template, rebuttal, direction)
