with source as (select * from {{ source('raw', 'debates') }})

select
    debate_id,
    dataset_id,
    motion,
    format,
    context,
    extra
from source
