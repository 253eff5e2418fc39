with source as (select * from {{ source('raw', 'key_point_sentences') }})

select
    analysis_id,
    sentence_id,
    judge_id,
    item_id,
    request_id,
    position::bigint as position,
    text,
    word_count::bigint as word_count,
    polarity,
    polarity_score,
    removal_reason,
    is_candidate,
    candidate_reason,
    selection_reason,
    redundant_with,
    key_point_id,
    similarity
from source
