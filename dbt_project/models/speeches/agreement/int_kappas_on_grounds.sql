{#
Mean kappas of a judge in a person's place on the speeches it shares with another judge, and in each draw
of annotators, the same for both judges (replicate 0 is the estimate). A pair of annotators counts where
it shares enough speeches, and enough of them are on the ground.
#}
with

sides as (
    select distinct panel_index, ground_index, item_indices, unnest([index_a, index_b]) as judge_index
    from {{ ref('int_judge_grounds') }}
),

on_ground as (
    select panel_index, ground_index, judge_index, unnest(item_indices) as item_index from sides
),

ratings as (select * from {{ ref('int_ratings_indexed') }}),

scores as (
    select
        on_ground.panel_index,
        on_ground.ground_index,
        on_ground.judge_index,
        on_ground.item_index,
        item_scores.score
    from on_ground
    inner join {{ ref('int_rank_judges') }} as judges using (panel_index, judge_index)
    inner join (
        select distinct panel_index, item_index, item_id from ratings
    ) as items using (panel_index, item_index)
    inner join {{ ref('int_item_scores') }} as item_scores
        using (dataset_id, dimension, judge_id, template, failure_rule, item_id)
),

pairs as (select * from {{ ref('int_annotator_pairs') }}),

shared_items as (
    select
        pairs.panel_index,
        pairs.annotator_a,
        pairs.annotator_b,
        pairs.n_shared as n_pair,
        first_ratings.item_index,
        first_ratings.value as a,
        second_ratings.value as b
    from pairs
    inner join ratings as first_ratings
        on
            pairs.panel_index = first_ratings.panel_index
            and pairs.annotator_a = first_ratings.annotator_index
    inner join ratings as second_ratings
        on
            pairs.panel_index = second_ratings.panel_index
            and pairs.annotator_b = second_ratings.annotator_index
            and first_ratings.item_index = second_ratings.item_index
),

sums as (
    select
        shared_items.panel_index,
        scores.ground_index,
        scores.judge_index,
        shared_items.annotator_a,
        shared_items.annotator_b,
        shared_items.n_pair,
        {{ swap_in_sums('scores.score') }}
    from shared_items
    inner join scores using (panel_index, item_index)
    group by all
),

kappas as (
    select
        *,
        {{ swap_in_kappas() }}
    from sums
),

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

kept as (
    select
        kappas.panel_index,
        kappas.ground_index,
        kappas.judge_index,
        kappas.annotator_a,
        kappas.annotator_b,
        thresholds.min_shared_items,
        coalesce(kappa_a, 0) + coalesce(kappa_b, 0) as kappa_sum,
        (kappa_a is not null)::integer + (kappa_b is not null)::integer as kappa_count
    from kappas
    inner join thresholds
        on
            kappas.n_pair >= thresholds.min_shared_items
            and kappas.n_shared >= thresholds.min_shared_items
),

annotators as (
    select ground_index, judge_index, min_shared_items, count(distinct annotator) as n_units
    from (
        select *, unnest([annotator_a, annotator_b]) as annotator
        from kept
        where kappa_count > 0
    )
    group by all
),

weights as (select * from {{ ref('int_annotators_drawn') }}),

replicated as (
    select
        kept.ground_index,
        kept.judge_index,
        kept.min_shared_items,
        first_weights.replicate,
        sum(first_weights.weight * second_weights.weight * kappa_sum)
        / nullif(sum(first_weights.weight * second_weights.weight * kappa_count), 0) as mean_kappa
    from kept
    inner join weights as first_weights
        on
            kept.panel_index = first_weights.panel_index
            and kept.min_shared_items = first_weights.min_shared_items
            and kept.annotator_a = first_weights.annotator
    inner join weights as second_weights
        on
            kept.panel_index = second_weights.panel_index
            and kept.min_shared_items = second_weights.min_shared_items
            and kept.annotator_b = second_weights.annotator
            and first_weights.replicate = second_weights.replicate
    group by all
),

estimated as (
    select
        ground_index,
        judge_index,
        min_shared_items,
        0 as replicate,
        sum(kappa_sum) / nullif(sum(kappa_count), 0) as mean_kappa
    from kept
    group by all
)

select all_draws.*, annotators.n_units
from (
    select * from estimated
    union all by name
    select * from replicated
) as all_draws
inner join annotators using (ground_index, judge_index, min_shared_items)
