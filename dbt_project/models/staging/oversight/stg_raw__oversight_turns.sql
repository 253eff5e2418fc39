with source as (select * from {{ source('raw', 'oversight_turns') }})

select
    run_id || '#' || request_id as response_id,
    transcript_id,
    turn::bigint as turn,
    round::bigint as round,
    speaker,
    argued_answer::bigint as argued_answer,
    model_id,
    candidate::bigint as candidate,
    is_chosen,
    text,
    shown_text,
    word_count::bigint as word_count,
    rejected_count::bigint as rejected_count,
    is_truncated,
    is_concession,
    argues_other_side,
    is_malformed,
    preference,
    tokens_in,
    tokens_out,
    cost_usd,
    extra
from source
