with source as (select * from {{ source('raw', 'adjudication_values') }})

select
    run_id || '#' || request_id as response_id,
    task,
    place,
    value,
    reason
from source
