with source as (select * from {{ source('raw', 'datasets') }})

select
    dataset_id,
    title,
    licence,
    citation,
    url,
    is_sample,
    policy,
    _loaded_at as loaded_at
from source
