{#
For every pair of annotators and every judge: the kappas of the two substitutions, and the pair's own
kappa, all on the pair's shared items the judge has scored.
#}
with

pairs as (select * from {{ ref('int_annotator_pairs') }}),

ratings as (select * from {{ ref('int_ratings_indexed') }}),

scores as (
    select
        judge_scores.judge_id,
        judge_scores.template,
        judge_scores.failure_rule,
        items.panel_index,
        items.item_index,
        judge_scores.score
    from {{ ref('int_item_scores') }} as judge_scores
    inner join (
        select distinct dataset_id, dimension, item_id, panel_index, item_index from ratings
    ) as items using (dataset_id, dimension, item_id)
),

shared_items as (
    select
        pairs.panel_index,
        pairs.annotator_a,
        pairs.annotator_b,
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
        scores.judge_id,
        scores.template,
        scores.failure_rule,
        shared_items.annotator_a,
        shared_items.annotator_b,
        count(*) as n_shared,
        sum(score) as sum_score,
        sum(a) as sum_a,
        sum(b) as sum_b,
        sum((score - a) ^ 2) as sum_squared_difference_a,
        sum((score - b) ^ 2) as sum_squared_difference_b,
        sum((a - b) ^ 2) as sum_squared_difference_ab,
        sum(score ^ 2 + a ^ 2) as sum_squares_a,
        sum(score ^ 2 + b ^ 2) as sum_squares_b,
        sum(a ^ 2 + b ^ 2) as sum_squares_ab,
        min(score) as min_score,
        max(score) as max_score,
        min(a) as min_a,
        max(a) as max_a
    from shared_items
    inner join scores using (panel_index, item_index)
    group by all
)

select
    sums.panel_index,
    pairs.dataset_id,
    pairs.dimension,
    sums.judge_id,
    sums.template,
    sums.failure_rule,
    sums.annotator_a,
    sums.annotator_b,
    sums.n_shared,
    {{ quadratic_kappa(
        'sums.n_shared', 'sum_squared_difference_a', 'sum_squares_a', 'sum_score', 'sum_a',
        'min_score', 'max_score'
    ) }} as kappa_a,
    {{ quadratic_kappa(
        'sums.n_shared', 'sum_squared_difference_b', 'sum_squares_b', 'sum_score', 'sum_b',
        'min_score', 'max_score'
    ) }} as kappa_b,
    {{ quadratic_kappa(
        'sums.n_shared', 'sum_squared_difference_ab', 'sum_squares_ab', 'sum_a', 'sum_b',
        'min_a', 'max_a'
    ) }} as kappa_human
from sums
inner join pairs using (panel_index, annotator_a, annotator_b)
