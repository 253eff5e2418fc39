select
    * exclude (run_id, request_id, _source_file, _loaded_at) replace (
        turn::bigint as turn,
        candidate::bigint as candidate,
        position::bigint as position,
        story_start::bigint as story_start,
        story_end::bigint as story_end
    ),
    run_id || '#' || request_id as response_id
from {{ source('raw', 'oversight_quotes') }}
