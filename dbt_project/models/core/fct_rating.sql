with

speeches as (select item_id, debate_id from {{ ref('stg_raw__speeches') }})

select
    ratings.* exclude (is_reader),
    speeches.debate_id
from {{ ref('stg_raw__human_ratings') }} as ratings
inner join speeches using (item_id)
where ratings.is_reader is not true
