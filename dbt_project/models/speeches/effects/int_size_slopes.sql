{#
Slope of agreement per doubling of size, within each family and over all of them with a level of its own
for each: a weighted sum of the judges' agreements, with weights that only sizes decide.
#}
with

points as (select * from {{ ref('int_size_points') }} where agreement is not null),

centred as (
    select
        trend_id,
        judge_id,
        family,
        agreement,
        log2_size - avg(log2_size) over (partition by trend_id, family) as distance,
        min(size_b_params) over (partition by trend_id, family)
        < max(size_b_params) over (partition by trend_id, family) as is_varied
    from points
),

scoped as (
    select *, 'family' as scope, family as of_family from centred where is_varied
    union all
    select *, 'pooled', null from centred where is_varied
),

weights as (
    select
        * exclude (distance, is_varied),
        distance / sum(distance ^ 2) over (partition by trend_id, scope, of_family) as weight
    from scoped
),

slopes as (
    select
        trend_id,
        scope,
        of_family,
        count(*) as n_judges,
        sum(weight * agreement) as slope
    from weights
    group by all
),

-- A draw of annotators in which one judge has no kappa has no slope.
replicates as (
    select
        weights.trend_id,
        weights.scope,
        weights.of_family,
        replicates.replicate,
        count(replicates.agreement) as n_judges,
        sum(weights.weight * replicates.agreement) as slope,
        max(replicates.n_units) as n_units
    from weights
    inner join {{ ref('int_size_replicates') }} as replicates using (trend_id, judge_id)
    group by all
),

spreads as (
    select
        slopes.trend_id,
        slopes.scope,
        slopes.of_family,
        count(*) as n_replicates,
        var_pop(replicates.slope) as variance,
        {{ percentile_ends('replicates.slope', 'n_units', 'percentile') }}
    from slopes
    inner join replicates
        on {{ alike('slopes', 'replicates', ['trend_id', 'scope', 'of_family', 'n_judges']) }}
    group by all
)

select
    slopes.trend_id,
    slopes.scope,
    slopes.of_family as family,
    slopes.slope,
    spreads.n_replicates,
    {{ jackknife_half_width('spreads.variance', 'spreads.n_replicates') }} as half_width,
    spreads.percentile_low,
    spreads.percentile_high
from slopes
left join spreads on {{ alike('slopes', 'spreads', ['trend_id', 'scope', 'of_family']) }}
