with source as (select * from {{ source('raw', 'debates') }})

select
    debate_id,
    dataset_id,
    coalesce(cluster_id, debate_id) as cluster_id,
    motion,
    format,
    context,
    category,
    round_count::bigint as round_count,
    end_side,
    start_date,
    voter_count,
    extra
from source
