with

replies as (
    select response_id as judgement_id, response as reply
    from {{ ref('stg_raw__oversight_judgements') }}
    union all
    select debate_id || '#' || judge_id || '#' || mode || '#' || step, explanation
    from {{ loaded('human_verdicts') }}
)

select
    judgements.*,
    replies.reply
from {{ ref('int_oversight_judgements') }} as judgements
left join replies using (judgement_id)
