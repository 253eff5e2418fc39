{# Both scores of every speech that a pair of people shares, for pairs that share enough of them. #}
select
    pairs.panel_index,
    pairs.annotator_a,
    pairs.annotator_b,
    first_ratings.dataset_id,
    first_ratings.dimension,
    first_ratings.item_id,
    first_ratings.value as a,
    second_ratings.value as b
from {{ ref('int_annotator_pairs') }} as pairs
inner join {{ ref('int_ratings_indexed') }} as first_ratings
    on
        pairs.panel_index = first_ratings.panel_index
        and pairs.annotator_a = first_ratings.annotator_index
inner join {{ ref('int_ratings_indexed') }} as second_ratings
    on
        pairs.panel_index = second_ratings.panel_index
        and pairs.annotator_b = second_ratings.annotator_index
        and first_ratings.item_index = second_ratings.item_index
