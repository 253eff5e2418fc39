select
    *,
    coalesce(
        verified_text, case when status = 'kept' then corrected_text end, raw_text
    ) as current_text,
    {{ house_of_role('role') }} as house,
    len(regexp_extract_all(current_text, '\S+')) as word_count
from {{ loaded('transcript_segments') }}
