{#
Mean kappas of a judge in a person's place on the speeches it shares with another judge, and in each draw
of annotators, the same for both judges (replicate 0 is the estimate). A pair of annotators counts where
it shares enough speeches, and enough of them are on the ground.
#}
with

-- One number a side and one a pair: groups of millions of rows have two keys instead of six.
sides as (
    select *, row_number() over (order by ground_index, judge_index) as side_index
    from (
        select distinct
            panel_index, ground_index, item_indices, unnest([index_a, index_b]) as judge_index
        from {{ ref('int_judge_grounds') }}
    )
),

on_ground as (
    select side_index, panel_index, judge_index, unnest(item_indices) as item_index from sides
),

ratings as (select * from {{ ref('int_ratings_indexed') }}),

scores as (
    select
        on_ground.side_index,
        on_ground.panel_index,
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

pairs as (
    select *, row_number() over (order by panel_index, annotator_a, annotator_b) as pair_index
    from {{ ref('int_annotator_pairs') }}
),

shared_items as (
    select
        pairs.pair_index,
        pairs.panel_index,
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

kappas as (
    select
        scores.side_index,
        shared_items.pair_index,
        {{ swap_in_sums('scores.score') }},
        {{ swap_in_kappas() }}
    from shared_items
    inner join scores using (panel_index, item_index)
    group by scores.side_index, shared_items.pair_index
),

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

kept as (
    select
        pairs.panel_index,
        sides.ground_index,
        sides.judge_index,
        pairs.annotator_a,
        pairs.annotator_b,
        thresholds.min_shared_items,
        coalesce(kappa_a, 0) + coalesce(kappa_b, 0) as kappa_sum,
        (kappa_a is not null)::integer + (kappa_b is not null)::integer as kappa_count
    from kappas
    inner join sides using (side_index)
    inner join pairs using (pair_index)
    inner join thresholds
        on
            pairs.n_shared >= thresholds.min_shared_items
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

-- Numbered as they are drawn; whoever is in no replicate weighs nothing in any.
numbered as (
    select distinct panel_index, min_shared_items, annotator, unit_index, n_units as n_drawn
    from {{ ref('int_annotators_drawn') }}
),

replicated as (
    select
        kept.ground_index,
        kept.judge_index,
        kept.min_shared_items,
        resampled_pair_ratios(
            {{ var('bootstrap_seed') }}::bigint,
            {{ var('bootstrap_replicates') }}::bigint,
            any_value(one.n_drawn),
            list(one.unit_index order by annotator_a, annotator_b),
            list(other.unit_index order by annotator_a, annotator_b),
            list(kappa_sum order by annotator_a, annotator_b),
            list(kappa_count::double order by annotator_a, annotator_b)
        ) as mean_kappas
    from kept
    inner join numbered as one
        on
            kept.panel_index = one.panel_index
            and kept.min_shared_items = one.min_shared_items
            and kept.annotator_a = one.annotator
    inner join numbered as other
        on
            kept.panel_index = other.panel_index
            and kept.min_shared_items = other.min_shared_items
            and kept.annotator_b = other.annotator
    group by kept.ground_index, kept.judge_index, kept.min_shared_items
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
    select
        * exclude (mean_kappas),
        unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate,
        unnest(mean_kappas) as mean_kappa
    from replicated
) as all_draws
inner join annotators using (ground_index, judge_index, min_shared_items)
