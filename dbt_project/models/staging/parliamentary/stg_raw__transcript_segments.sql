with source as (select * from {{ source('raw', 'transcript_segments') }})

select
    transcript_id,
    dataset_id,
    position::bigint as position,
    role,
    speaker,
    start_s,
    end_s,
    raw_text,
    corrected_text,
    verified_text,
    word_error_rate,
    changed_words::bigint as changed_words,
    status,
    reason
from source
