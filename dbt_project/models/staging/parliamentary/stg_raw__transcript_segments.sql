select
    * exclude (_source_file, _loaded_at) replace (
        position::bigint as position,
        changed_words::bigint as changed_words
    )
from {{ source('raw', 'transcript_segments') }}
