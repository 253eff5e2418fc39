select
    * exclude (_source_file, _loaded_at) replace (
        year::bigint as year,
        word_count::bigint as word_count
    )
from {{ source('raw', 'stories') }}
