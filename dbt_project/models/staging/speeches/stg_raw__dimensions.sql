with source as (select * from {{ source('raw', 'dimensions') }})

select
    dataset_id,
    dimension,
    question,
    scale_min,
    scale_max
from source
