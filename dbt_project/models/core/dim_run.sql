select
    run_id,
    experiment,
    judge_id,
    origin,
    settings_hash,
    item_file,
    planned_count,
    code_version,
    parser_version,
    started_at,
    ended_at,
    status,
    source_file
from {{ ref('stg_raw__runs') }}
