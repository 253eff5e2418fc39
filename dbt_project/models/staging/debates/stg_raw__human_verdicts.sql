with source as (select * from {{ source('raw', 'human_verdicts') }})

select
    debate_id,
    dataset_id,
    judge_id,
    protocol,
    mode,
    is_interactive,
    step::bigint as step,
    is_final,
    choice,
    p_pro,
    explanation,
    judged_at,
    extra
from source
