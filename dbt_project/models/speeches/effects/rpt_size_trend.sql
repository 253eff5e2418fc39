with

points as (select * from {{ ref('int_size_points') }}),

slopes as (select * from {{ ref('int_size_slopes') }}),

bends as (
    select *, case when family is null then 'pooled' else 'family' end as scope
    from {{ ref('int_size_bends_fitted') }}
),

topics as (
    select points.trend_id, points.family, clusters.debate_id
    from points
    inner join {{ ref('int_rank_judges') }} as judges
        using (dataset_id, dimension, judge_id, template)
    inner join {{ ref('int_rank_observations') }} as observations using (judge_index)
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    where
        points.measure = 'tau_c' and points.agreement is not null
        and judges.failure_rule = {{ excluded() }} and observations.role = 'pooled'
    group by all
),

annotators as (
    select trend_id, max(n_units) as n_units
    from {{ ref('int_size_replicates') }}
    group by all
),

scoped as (
    select
        *,
        'family' as scope,
        family as of_family,
        count(distinct size_b_params) filter (agreement is not null)
            over (partition by trend_id, family) as family_sizes
    from points
    union all
    select
        *,
        'pooled',
        null,
        count(distinct size_b_params) filter (agreement is not null)
            over (partition by trend_id, family)
    from points
),

counted as (
    select
        trend_id,
        scope,
        of_family,
        dataset_id,
        dimension,
        template,
        measure,
        min_shared_items,
        count(agreement) as n_judges,
        count(*) - count(agreement) as undefined_count,
        count(distinct size_b_params) filter (agreement is not null) as n_sizes,
        count(distinct family) filter (family_sizes >= 2) as n_families,
        max(family_sizes) as most_sizes,
        min(size_b_params) filter (agreement is not null) as size_smallest,
        max(size_b_params) filter (agreement is not null) as size_largest,
        avg(agreement) as mean_agreement,
        avg(log2_size) filter (agreement is not null) as mean_log2_size
    from scoped
    group by all
),

units as (
    select
        counted.trend_id,
        counted.scope,
        counted.of_family,
        case
            when counted.measure = 'kappa' then coalesce(max(annotators.n_units), 0)
            else count(distinct topics.debate_id)
        end as n_units
    from counted
    left join annotators using (trend_id)
    left join topics
        on
            counted.trend_id = topics.trend_id
            and coalesce(counted.of_family, topics.family) = topics.family
    group by counted.trend_id, counted.scope, counted.of_family, counted.measure
),

joined as (
    select
        counted.*,
        units.n_units,
        case counted.measure when 'kappa' then 'annotators' else 'topics' end as unit,
        slopes.slope,
        case
            when counted.measure = 'kappa' then slopes.percentile_low
            else slopes.slope - slopes.half_width
        end as slope_low,
        case
            when counted.measure = 'kappa' then slopes.percentile_high
            else slopes.slope + slopes.half_width
        end as slope_high,
        bends.* exclude (trend_id, scope, family, reason),
        bends.trend_id is not null as is_tested,
        bends.reason as bend_reason
    from counted
    inner join units
        on
            counted.trend_id = units.trend_id and counted.scope = units.scope
            and counted.of_family is not distinct from units.of_family
    left join slopes
        on
            counted.trend_id = slopes.trend_id and counted.scope = slopes.scope
            and counted.of_family is not distinct from slopes.family
    left join bends
        on
            counted.trend_id = bends.trend_id and counted.scope = bends.scope
            and counted.of_family is not distinct from bends.family
),

-- All families together are one more question about the same measure.
adjusted as (
    {{ benjamini_hochberg('joined', 'trend_id') }}
)

select
    * exclude (
        trend_id, of_family, most_sizes, mean_agreement, mean_log2_size, n_replicates, is_tested,
        bend_reason
    ),
    of_family as family,
    case
        when scope = 'family' then mean_agreement + slope * (log2(size_smallest) - mean_log2_size)
    end as line_smallest,
    case
        when scope = 'family' then mean_agreement + slope * (log2(size_largest) - mean_log2_size)
    end as line_largest,
    case
        when slope is null and scope = 'family' then 'agreement is known at fewer than two sizes'
        when slope is null then 'no family has agreement at two sizes'
        when n_units < {{ var('min_units_for_interval') }}
            then 'fewer than {{ var("min_units_for_interval") }} ' || unit
        when slope_low is null then 'nothing changes the slope'
    end as slope_reason,
    turning_size_low <= {{ paper_turning_size() }}
    and turning_size_high >= {{ paper_turning_size() }}
        as is_7b_inside,
    1 - sse_bent / nullif(sse_line, 0) as gain,
    case
        when is_tested then bend_reason
        when scope = 'family'
            then
                'agreement is known at '
                || n_sizes
                || case n_sizes when 1 then ' size' else ' sizes' end
                || '; a turning point needs {{ min_sizes_for_turning() }}'
        else 'no family has agreement at {{ min_sizes_for_turning() }} sizes'
    end as turning_reason
from adjusted
