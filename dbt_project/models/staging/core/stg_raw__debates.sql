select
    * exclude (_source_file, _loaded_at) replace (
        coalesce(cluster_id, debate_id) as cluster_id,
        round_count::bigint as round_count
    )
from {{ source('raw', 'debates') }}
