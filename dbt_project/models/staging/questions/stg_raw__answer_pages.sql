with source as (select * from {{ source('raw', 'answer_pages') }})

select
    run_id || '#' || request_id as response_id,
    address,
    page_status,
    detail,
    sha256
from source
