select
    * exclude (_source_file, _loaded_at),
    _loaded_at as loaded_at
from {{ source('raw', 'datasets') }}
