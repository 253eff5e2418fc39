with source as (select * from {{ source('raw', 'anchor_answers') }})

select
    anchor_set,
    wave,
    judge_line,
    judge_id,
    run_id,
    request_id,
    item_id,
    dataset_id,
    item_hash,
    dimension,
    template,
    prompt_hash,
    settings_hash,
    sample::bigint as sample,
    value,
    status,
    answered_at
from source
