select * exclude (_source_file, _loaded_at) replace (position::bigint as position)
from {{ source('raw', 'partial_answers') }}
