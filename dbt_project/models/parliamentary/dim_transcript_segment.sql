with

segments as (
    select
        *,
        coalesce(
            verified_text, case when status = 'kept' then corrected_text end, raw_text
        ) as current_text
    from {{ ref('stg_raw__transcript_segments') }}
)

select
    transcript_id,
    dataset_id,
    position,
    role,
    {{ house_of_role('role') }} as house,
    speaker,
    start_s,
    end_s,
    raw_text,
    corrected_text,
    verified_text,
    current_text,
    word_error_rate,
    changed_words,
    len(regexp_extract_all(current_text, '\S+')) as word_count,
    status,
    reason
from segments
