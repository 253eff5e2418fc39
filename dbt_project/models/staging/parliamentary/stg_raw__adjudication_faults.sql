select
    run_id || '#' || request_id as response_id,
    task,
    fault,
    detail
from {{ source('raw', 'adjudication_faults') }}
