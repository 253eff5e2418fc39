{#
Tau-c with people's mean score with reasons first and without, on the items scored under both, and the
jackknife of the difference: one topic is left out of both at a time.
#}
with

series as (
    select * from {{ ref('int_rank_statistics') }} where role = {{ pooled_on_both() }}
),

sides as (
    select
        pairs.prompt_pair_id,
        plain.series_index as plain_index,
        justified.series_index as justified_index,
        plain.n as n_items,
        plain.tau_c as plain,
        justified.tau_c as justified
    from {{ ref('int_prompt_pairs') }} as pairs
    inner join series as plain
        on
            pairs.dataset_id = plain.dataset_id
            and pairs.dimension = plain.dimension
            and pairs.judge_id = plain.judge_id
            and pairs.template_plain = plain.template
    inner join series as justified
        on
            pairs.dataset_id = justified.dataset_id
            and pairs.dimension = justified.dimension
            and pairs.judge_id = justified.judge_id
            and pairs.template_justified = justified.template
),

jackknifed as (select * from {{ ref('int_rank_jackknifed') }}),

variances as (
    select
        sides.prompt_pair_id,
        count(*) as n_groups,
        var_pop(justified.tau_c - plain.tau_c) as variance
    from sides
    inner join jackknifed as plain on sides.plain_index = plain.series_index
    inner join jackknifed as justified
        on
            sides.justified_index = justified.series_index
            and plain.group_index = justified.group_index
    group by all
),

topics as (
    select sides.prompt_pair_id, count(distinct clusters.debate_id) as n_units
    from sides
    inner join {{ ref('int_rank_item_sums') }} as item_sums
        on sides.plain_index = item_sums.series_index
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    group by all
)

select
    sides.* exclude (plain_index, justified_index),
    topics.n_units,
    {{ jackknife_half_width('variance', 'n_groups') }} as half_width
from sides
inner join topics using (prompt_pair_id)
left join variances using (prompt_pair_id)
