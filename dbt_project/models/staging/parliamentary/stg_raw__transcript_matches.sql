select * exclude (_source_file, _loaded_at) replace (match_order::bigint as match_order)
from {{ source('raw', 'transcript_matches') }}
