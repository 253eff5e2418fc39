with source as (select * from {{ source('raw', 'quarantine') }})

select
    load_id,
    source,
    file,
    record,
    field,
    reason
from source
