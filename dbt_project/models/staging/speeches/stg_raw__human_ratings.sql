with source as (select * from {{ source('raw', 'human_ratings') }})

select
    dataset_id,
    item_id,
    annotator_id,
    dimension,
    value,
    {{ is_reader('annotator_id', 'dataset_id') }} as is_reader
from source
