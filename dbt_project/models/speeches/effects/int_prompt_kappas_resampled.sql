{#
Mean kappas with reasons first and without, over the comparisons that are defined under both, and the
bootstrap of their difference: the draws of annotators are those of every other kappa.
#}
with

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

kept as (
    select kappas.*, thresholds.min_shared_items
    from {{ ref('int_prompt_kappas') }} as kappas
    inner join {{ ref('int_annotator_pairs') }} as pairs
        using (panel_index, annotator_a, annotator_b)
    inner join thresholds
        on
            pairs.n_shared >= thresholds.min_shared_items
            and kappas.n_shared >= thresholds.min_shared_items
),

comparisons as (
    select
        * exclude (plain_a, plain_b, justified_a, justified_b),
        plain_a as plain, justified_a as justified
    from kept
    union all
    select * exclude (plain_a, plain_b, justified_a, justified_b), plain_b, justified_b
    from kept
),

estimates as (
    select
        prompt_pair_id,
        min_shared_items,
        avg(plain) filter (justified is not null) as plain,
        avg(justified) filter (plain is not null) as justified,
        count(*) as comparison_count,
        count(*) - count(plain + justified) as undefined_count
    from comparisons
    group by all
),

people as (
    select
        prompt_pair_id,
        min_shared_items,
        count(distinct annotator) as n_units
    from (
        select prompt_pair_id, min_shared_items, annotator_a as annotator from kept
        union
        select prompt_pair_id, min_shared_items, annotator_b from kept
    )
    group by all
),

-- Two comparisons of a pair of annotators always weigh the same.
pair_differences as (
    select
        * exclude (n_shared, plain, justified),
        sum(justified - plain) as difference_sum,
        count(justified - plain) as difference_count
    from comparisons
    group by all
    having difference_count > 0
),

drawn as (select * from {{ ref('int_annotators_drawn') }}),

replicates as (
    select
        pair_differences.prompt_pair_id,
        pair_differences.min_shared_items,
        first_drawn.replicate,
        sum(first_drawn.weight * second_drawn.weight * difference_sum)
        / sum(first_drawn.weight * second_drawn.weight * difference_count) as difference
    from pair_differences
    inner join drawn as first_drawn
        on
            pair_differences.panel_index = first_drawn.panel_index
            and pair_differences.min_shared_items = first_drawn.min_shared_items
            and pair_differences.annotator_a = first_drawn.annotator
    inner join drawn as second_drawn
        on
            pair_differences.panel_index = second_drawn.panel_index
            and pair_differences.min_shared_items = second_drawn.min_shared_items
            and pair_differences.annotator_b = second_drawn.annotator
            and first_drawn.replicate = second_drawn.replicate
    group by all
),

intervals as (
    select
        replicates.prompt_pair_id,
        replicates.min_shared_items,
        {{ percentile_ends('difference', 'n_units') }}
    from replicates
    inner join people using (prompt_pair_id, min_shared_items)
    group by all
)

select
    estimates.*,
    people.n_units,
    case when difference_low < difference_high then difference_low end as difference_low,
    case when difference_low < difference_high then difference_high end as difference_high
from estimates
inner join people using (prompt_pair_id, min_shared_items)
left join intervals using (prompt_pair_id, min_shared_items)
