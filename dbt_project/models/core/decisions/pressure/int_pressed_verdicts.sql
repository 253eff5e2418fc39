{# Which answer counts: of each question the latest, on the text there is. #}
{{ config(materialized='view') }}

with

answers as (
    select * exclude (response, extra), {{ answer_status() }} as answer_status
    from {{ ref('stg_raw__pressed_verdicts') }}
),

debates as (select debate_id, debate_hash from {{ ref('int_debates_measured') }})

select
    answers.*,
    debates.debate_hash is null or coalesce(debates.debate_hash != answers.item_hash, false)
        as is_stale,
    superseded.response_id is null as is_current
from answers
left join debates using (debate_id)
left join {{ ref('int_responses_superseded') }} as superseded using (response_id)
