{#
What a doubling of Con's words over Pro's adds beyond what it adds with people, from what
`pooled_verdicts` pools: least squares, with errors clustered (Liang and Zeger 1986) and the usual
small-sample factor G / (G - 1) * (n - 1) / (n - 2).
#}
with

units as (
    select group_id, arm_id, cluster_key, doublings, share - baseline as difference, parsed_count
    from (
        {{ pooled_verdicts() }}
    ) as judged
    where human is not null and doublings is not null
),

totals as (
    select
        group_id,
        arm_id,
        count(*) as n_units,
        sum(parsed_count)::bigint as n_answers,
        avg(doublings) as mean_doublings,
        avg(difference) as mean_difference,
        regr_sxx(difference, doublings) as spread,
        case
            when min(doublings) < max(doublings)
                then
                    round(regr_sxy(difference, doublings) / regr_sxx(difference, doublings), 12)
                    + 0.0
        end as effect
    from units
    group by group_id, arm_id
),

influences as not materialized (
    select
        units.group_id,
        units.arm_id,
        units.cluster_key,
        (units.doublings - totals.mean_doublings) * (
            units.difference - totals.mean_difference
            - totals.effect * (units.doublings - totals.mean_doublings)
        ) as influence
    from units
    inner join totals
        on units.group_id = totals.group_id and units.arm_id is not distinct from totals.arm_id
),

clusters as (
    {{ cluster_sums('influences', ['group_id', 'arm_id'], {'influence': '{}'}) }}
),

squares as (
    select group_id, arm_id, count(*) as n_clusters, sum(influence ^ 2) as squares
    from clusters
    group by group_id, arm_id
)

select
    totals.* exclude (mean_doublings, mean_difference, spread),
    squares.n_clusters,
    sqrt(
        squares.n_clusters / nullif(squares.n_clusters - 1.0, 0)
        * (totals.n_units - 1) / nullif(totals.n_units - 2.0, 0) * squares.squares
    ) / totals.spread as error
from totals
inner join squares
    on totals.group_id = squares.group_id and totals.arm_id is not distinct from squares.arm_id
