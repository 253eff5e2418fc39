select
    run_id,
    experiment,
    judge_id,
    origin,
    settings_hash,
    item_file,
    planned_count,
    code_version,
    started_at,
    ended_at,
    status
from {{ ref('stg_raw__runs') }}
