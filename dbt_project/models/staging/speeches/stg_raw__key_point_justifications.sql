with source as (select * from {{ source('raw', 'key_point_justifications') }})

select
    analysis_id,
    judge_id,
    item_id,
    request_id,
    run_id,
    run_id || '#' || request_id as response_id,
    sample::bigint as sample,
    justification,
    rephrased,
    rephrased_by,
    status,
    reason,
    sentence_count::bigint as sentence_count,
    word_count::bigint as word_count
from source
