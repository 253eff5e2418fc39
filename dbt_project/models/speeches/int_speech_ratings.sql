{{ config(materialized='view') }}
{#
People also label answers to questions, in the same table; those labels say nothing of speeches. Who
scores on the dashboard is compared with the data set's own people and is none of them.
#}
select ratings.* exclude (is_reader)
from {{ ref('stg_raw__human_ratings') }} as ratings
where
    ratings.item_id in (select item_id from {{ ref('stg_raw__speeches') }})
    and ratings.is_reader is not true
