with

ratings as (select * from {{ ref('stg_raw__human_ratings') }}),

speeches as (select item_id, debate_id from {{ ref('stg_raw__speeches') }})

select
    ratings.dataset_id,
    speeches.debate_id,
    ratings.item_id,
    ratings.annotator_id,
    ratings.dimension,
    ratings.value
from ratings
inner join speeches using (item_id)
where ratings.is_reader is not true
