with source as (select * from {{ source('raw', 'oversight_quotes') }})

select
    run_id || '#' || request_id as response_id,
    transcript_id,
    turn::bigint as turn,
    candidate::bigint as candidate,
    position::bigint as position,
    quote,
    is_verified,
    similarity,
    story_start::bigint as story_start,
    story_end::bigint as story_end,
    written_as
from source
