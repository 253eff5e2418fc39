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
    row_number() over (
        partition by
            experiment, judge_id, settings_hash, debate_id, item_hash, template, prompt_hash,
            first_template, verbalizer, position, rebuttal, said_by, sample
        order by {{ latest_answer_first() }}
    ) = 1 as is_current
from answers
left join debates using (debate_id)
