with source as (select * from {{ source('raw', 'transcripts') }})

select
    transcript_id,
    dataset_id,
    title,
    motion,
    info_slide,
    origin,
    transcriber,
    corrector,
    segmenter,
    status,
    reason,
    max_word_error_rate,
    word_error_rate,
    verified_by,
    verified_at,
    extra
from source
