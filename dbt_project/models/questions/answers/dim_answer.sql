select
    * exclude (
        request_id, settings_hash, item_hash, prompt_hash, request_status, error_kind,
        finish_reason, attempts, tokens_in, tokens_cached, latency_s, cost_usd, source_record,
        extra, loaded_at, parse_status, parse_reason, is_current
    )
from {{ ref('int_answers_current') }}
where is_current
