select
    * exclude (_source_file, _loaded_at) replace (
        position::bigint as position,
        word_count::bigint as word_count
    )
from {{ source('raw', 'key_point_sentences') }}
