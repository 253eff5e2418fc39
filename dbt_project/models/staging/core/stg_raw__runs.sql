with source as (select * from {{ source('raw', 'runs') }})

select
    run_id,
    experiment,
    judge_id,
    origin,
    settings_hash,
    item_file,
    planned as planned_count,
    code_version,
    parser_version,
    started_at,
    ended_at,
    status,
    _source_file as source_file
from source
