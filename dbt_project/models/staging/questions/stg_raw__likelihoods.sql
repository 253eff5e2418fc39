select
    * exclude (_source_file, _loaded_at),
    run_id || '#' || request_id as response_id,
    _source_file as source_file,
    _loaded_at as loaded_at
from {{ source('raw', 'likelihoods') }}
