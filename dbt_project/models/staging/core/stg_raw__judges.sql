with source as (select * from {{ source('raw', 'judges') }})

select
    judge_id,
    provider,
    model,
    family,
    size_b_params,
    settings,
    settings_hash
from source
