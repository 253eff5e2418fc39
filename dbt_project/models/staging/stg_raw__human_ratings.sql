with source as (select * from {{ source('raw', 'human_ratings') }})

select
    dataset_id,
    item_id,
    annotator_id,
    dimension,
    value
from source
