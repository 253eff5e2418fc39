select
    * exclude (_source_file, _loaded_at) replace (
        position::bigint as position,
        chunk_rank::bigint as chunk_rank
    )
from {{ source('raw', 'curation_chunks') }}
