with source as (select * from {{ source('raw', 'sampled_items') }})

select
    sample_id,
    item_id,
    position,
    stratum
from source
