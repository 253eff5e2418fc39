select
    * exclude (_source_file, _loaded_at) replace (
        sample::bigint as sample,
        sentence_count::bigint as sentence_count,
        word_count::bigint as word_count
    ),
    run_id || '#' || request_id as response_id
from {{ source('raw', 'key_point_justifications') }}
