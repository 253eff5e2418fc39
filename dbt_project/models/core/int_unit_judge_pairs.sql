{#
Two judges asked alike on the units that both have a value of. Shares of right answers are compared by
McNemar's test on clusters, as verdicts are; everything else by the paired t-test on the means of
clusters. A pair that shares less than what a judge needs to be named has no p, and so is not told apart.
#}
{% set pair = 'ranking_id, judge_a, judge_b' %}
with

units as (select * from {{ ref('int_units_scored') }}),

-- A unit on which either judge is half right says nothing to McNemar's test.
paired as (
    select
        one.ranking_id,
        one.judge_id as judge_a,
        other.judge_id as judge_b,
        one.cluster_id,
        one.stratum,
        one.is_share,
        one.value - other.value as difference,
        case
            when one.value != 0.5 and other.value != 0.5
                then (one.value > 0.5)::int - (other.value > 0.5)::int
            else 0
        end as discordance
    from units as one
    inner join units as other using (ranking_id, unit_id)
    where one.judge_id < other.judge_id
),

grouped as (
    select
        {{ pair }},
        cluster_id,
        stratum,
        is_share,
        count(*) as n_shared,
        sum(difference) as difference,
        sum(discordance) as discordance
    from paired
    group by all
),

weighted as (
    select
        *,
        count(distinct stratum) over (partition by {{ pair }}) as n_strata,
        case
            when is_share
                then
                    sum(n_shared) over (partition by {{ pair }})
                    / (
                        greatest(n_strata, 1)
                        * sum(n_shared) over (partition by {{ pair }}, stratum)
                    )
            else 1.0 / n_shared
        end as weight
    from grouped
),

clusters as (
    select
        {{ pair }},
        cluster_id,
        is_share,
        any_value(n_strata) != 1 as has_all_strata,
        sum(n_shared)::bigint as n_shared,
        sum(weight * difference) as difference,
        sum(weight * discordance) as discordance
    from weighted
    group by {{ pair }}, cluster_id, is_share
),

summed as (
    select
        {{ pair }},
        is_share,
        bool_and(has_all_strata) as has_all_strata,
        sum(n_shared)::bigint as n_shared,
        count(*) as n_units,
        sum(difference) / case when is_share then sum(n_shared) else count(*) end as difference,
        {{ spread('stddev_samp(difference) / sqrt(count(*))') }} as standard_error,
        sum(discordance) as discordance,
        count(*) filter (discordance > 0) as clusters_a,
        count(*) filter (discordance < 0) as clusters_b,
        sum(discordance ^ 2) as squares
    from clusters
    group by {{ pair }}, is_share
)

select
    ranking_id,
    judge_a,
    judge_b,
    n_shared,
    n_units,
    case when has_all_strata then difference end as difference,
    case
        when not has_all_strata or not ({{ shares_enough('n_shared', 'n_units') }}) then null
        when is_share
            then
                {{ quoted_p_of_clusters(
                    'discordance', '0', 'clusters_a', 'clusters_b', 'squares'
                ) }}
        when
            not is_share
            then student_t_two_sided(difference / standard_error, (n_units - 1)::double)
    end as p
from summed
