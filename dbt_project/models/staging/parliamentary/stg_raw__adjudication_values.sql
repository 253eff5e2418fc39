select
    * exclude (run_id, request_id, _source_file, _loaded_at),
    run_id || '#' || request_id as response_id
from {{ source('raw', 'adjudication_values') }}
