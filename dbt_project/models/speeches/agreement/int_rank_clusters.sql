{#
Which group of clusters each item is deleted with. One group per cluster (the topic) up to
var('jackknife_groups') of them, and that many groups of clusters beyond.
#}
with

items as (
    select distinct
        ratings.item_index,
        speeches.dataset_id,
        speeches.debate_id
    from {{ ref('int_ratings_indexed') }} as ratings
    inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
)

select
    item_index,
    debate_id,
    (dense_rank() over (partition by dataset_id order by debate_id))
    % {{ var('jackknife_groups') }} as group_index
from items
