with

ratings as (
    select panel_index, item_index, annotator_index, value from {{ ref('int_ratings_indexed') }}
),

panels as (
    select distinct panel_index, dataset_id, dimension from {{ ref('int_ratings_indexed') }}
),

sums as (
    select
        ratings.panel_index,
        ratings.annotator_index as annotator_a,
        other.annotator_index as annotator_b,
        count(*) as n_shared,
        sum((ratings.value - other.value) ^ 2) as sum_squared_difference,
        sum(ratings.value ^ 2 + other.value ^ 2) as sum_squares,
        sum(ratings.value) as sum_a,
        sum(other.value) as sum_b,
        min(ratings.value) as min_a,
        max(ratings.value) as max_a
    from ratings
    inner join ratings as other
        on
            ratings.panel_index = other.panel_index
            and ratings.item_index = other.item_index
            and ratings.annotator_index < other.annotator_index
    group by all
    having count(*) >= {{ var('min_shared_items') | min }}
)

select
    panels.dataset_id,
    panels.dimension,
    sums.panel_index,
    sums.annotator_a,
    sums.annotator_b,
    sums.n_shared,
    {{ quadratic_kappa(
        'n_shared', 'sum_squared_difference', 'sum_squares', 'sum_a', 'sum_b', 'min_a', 'max_a'
    ) }} as kappa
from sums
inner join panels using (panel_index)
