{{ config(materialized='view') }}
{# People also label answers to questions, in the same table; those labels say nothing of speeches. #}
select ratings.*
from {{ ref('stg_raw__human_ratings') }} as ratings
where ratings.item_id in (select item_id from {{ ref('stg_raw__speeches') }})
