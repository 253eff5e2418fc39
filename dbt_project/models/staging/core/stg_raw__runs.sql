select
    * exclude (settings, planned, _source_file, _loaded_at),
    planned as planned_count,
    _source_file as source_file
from {{ source('raw', 'runs') }}
