select
    * exclude (_source_file, _loaded_at) replace (
        position::bigint as position,
        gain::bigint as gain
    )
from {{ source('raw', 'key_points') }}
