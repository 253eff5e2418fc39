select
    * exclude (
        request_id, settings_hash, item_hash, wording, prompt_hash, verbalizer, position,
        reasoning, answer_order, error_kind, finish_reason, loaded_at
    )
from {{ ref('int_verdicts_current') }}
