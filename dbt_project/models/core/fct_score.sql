select
    * exclude (
        request_id, settings_hash, item_hash, wording, prompt_hash, part, item_kind, response,
        error_kind, finish_reason, extra, loaded_at
    )
from {{ ref('int_scores_current') }}
