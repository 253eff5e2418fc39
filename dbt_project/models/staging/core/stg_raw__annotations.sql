with source as (select * from {{ source('raw', 'annotations') }})

select
    dataset_id,
    dimension,
    instance_id,
    text_id,
    annotator_id,
    is_judge,
    label,
    value
from source
