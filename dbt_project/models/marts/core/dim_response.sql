select
    response_id,
    run_id,
    request_id,
    judge_id,
    item_id,
    template,
    dimension,
    sample,
    response,
    request_status,
    error_kind,
    finish_reason,
    parse_status,
    parse_reason,
    answered_at
from {{ ref('stg_raw__scores') }}
