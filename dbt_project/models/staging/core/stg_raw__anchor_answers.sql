select * exclude (_source_file, _loaded_at) replace (sample::bigint as sample)
from {{ source('raw', 'anchor_answers') }}
