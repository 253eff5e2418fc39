select
    * exclude (run_id, request_id, _source_file, _loaded_at) replace (
        turn::bigint as turn,
        round::bigint as round,
        argued_answer::bigint as argued_answer,
        candidate::bigint as candidate,
        word_count::bigint as word_count,
        rejected_count::bigint as rejected_count
    ),
    run_id || '#' || request_id as response_id
from {{ source('raw', 'oversight_turns') }}
