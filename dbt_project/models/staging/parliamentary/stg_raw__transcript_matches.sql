with source as (select * from {{ source('raw', 'transcript_matches') }})

select
    dataset_id,
    match_order::bigint as match_order,
    transcript,
    result_row,
    debate_id,
    status,
    reason,
    candidates
from source
