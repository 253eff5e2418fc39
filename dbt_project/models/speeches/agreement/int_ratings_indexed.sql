with

ratings as (select * from {{ ref('int_speech_ratings') }}),

panels as (
    select dataset_id, dimension, row_number() over (order by dataset_id, dimension) as panel_index
    from (select distinct dataset_id, dimension from ratings)
),

annotators as (
    select annotator_id, row_number() over (order by annotator_id) as annotator_index
    from (select distinct annotator_id from ratings)
),

items as (
    select item_id, row_number() over (order by item_id) as item_index
    from (select distinct item_id from ratings)
)

select
    ratings.*,
    panels.panel_index,
    annotators.annotator_index,
    items.item_index
from ratings
inner join panels using (dataset_id, dimension)
inner join annotators using (annotator_id)
inner join items using (item_id)
