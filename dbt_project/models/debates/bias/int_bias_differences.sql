{#
Biases that are a mean difference, from what `pooled_units` pools: of position, labels, stance and side.
Stance counts the debates that Con closes as much as those that Pro closes, so that the last word is no
leaning to a side. Standard errors are those of a ratio over clusters.
#}
{{ config(meta={'parts_of': 'int_bias_verdicts'}) }}
with

verdicts as (
    select * from (
        {{ pooled_verdicts() }}
    ) as judged
    where human is not null
),

-- Counted and joined: windows over the units take several times as long.
closing as (
    select
        group_id,
        arm_id,
        end_side,
        sum(count(*)) over (partition by group_id, arm_id) as n_all,
        count(*) as n_closing_alike
    from verdicts
    where end_side is not null
    group by group_id, arm_id, end_side
),

-- Neither this nor what follows is kept: most clusters are one debate, which is passed as it is.
differences as not materialized (
    select
        kind as bias, group_id, arm_id, cluster_key, parsed_count, is_split,
        1.0 as weight,
        share as difference,
        vote as discordance
    from (
        {{ pooled_units("kind != 'verdict'") }}
    ) as units
    union all
    select
        'stance', verdicts.group_id, verdicts.arm_id, cluster_key, parsed_count, is_split,
        case when n_closing_alike < n_all then n_all / (2.0 * n_closing_alike) end,
        share - baseline,
        vote - baseline
    from verdicts
    inner join closing
        on
            verdicts.group_id = closing.group_id
            and verdicts.arm_id is not distinct from closing.arm_id
            and verdicts.end_side = closing.end_side
),

weighted as not materialized (
    select
        bias,
        group_id,
        arm_id,
        cluster_key,
        1 as n_units,
        parsed_count as n_answers,
        coalesce(is_split, false)::integer as split_count,
        weight,
        weight * difference as difference,
        weight * discordance as discordance
    from differences
),

-- Rounded, so that what adds up to nothing is nothing.
clusters as (
    {{ cluster_sums('weighted', ['bias', 'group_id', 'arm_id'], {
        'n_units': '{}::bigint',
        'n_answers': '{}::bigint',
        'split_count': '{}::bigint',
        'weight': '{}',
        'difference': 'round({}, 12)',
        'discordance': 'round({}, 9)',
    }) }}
),

means as (
    select
        bias,
        group_id,
        arm_id,
        sum(n_units)::bigint as n_units,
        count(*) as n_clusters,
        sum(n_answers)::bigint as n_answers,
        sum(split_count)::bigint as split_count,
        sum(difference) / sum(weight) as effect,
        sum(difference ^ 2) as squares,
        sum(difference * weight) as products,
        sum(weight ^ 2) as weight_squares,
        sum(weight) as weight,
        sum(discordance) as discordance,
        sum(discordance ^ 2) as discordance_squares,
        count(*) filter (discordance > 0) as clusters_a,
        count(*) filter (discordance < 0) as clusters_b
    from clusters
    group by bias, group_id, arm_id
)

select
    * exclude (squares, products, weight_squares, weight),
    sqrt(
        n_clusters / nullif(n_clusters - 1.0, 0)
        * greatest(0.0, squares - 2 * effect * products + effect ^ 2 * weight_squares)
    ) / weight as error
from means
