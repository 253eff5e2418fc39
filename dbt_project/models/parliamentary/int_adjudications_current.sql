{#
Without the raw text, which may be long and is in dim_response. An answer that two experiments share
must not count twice: of the same setting, debate and repeat one counts, whichever experiment asked.
#}
with

adjudications as (select * exclude (response, extra) from {{ ref('stg_raw__adjudications') }}),

superseded as (select response_id from {{ ref('int_responses_superseded') }}),

debates as (select debate_id, debate_hash from {{ ref('dim_parliamentary_debate') }}),

faults as (
    select
        response_id,
        list({ 'task': task, 'fault': fault, 'detail': detail } order by task, fault, detail)
            as faults
    from {{ ref('stg_raw__adjudication_faults') }}
    group by response_id
),

-- A reply made elsewhere may not say which text it was given; it then holds for the text there is.
marked as (
    select
        adjudications.*,
        {{ answer_status() }} as answer_status,
        debates.debate_id is null
        or coalesce(debates.debate_hash != adjudications.item_hash, false) as is_stale,
        superseded.response_id is null as is_current
    from adjudications
    left join debates using (debate_id)
    left join superseded using (response_id)
)

select
    row_number() over (order by marked.response_id) as answer_key,
    marked.*,
    is_current and not is_stale and row_number() over (
        partition by is_current, is_stale, setting_id, debate_id, sample
        order by {{ latest_answer_first() }}
    ) = 1 as is_counted,
    faults.faults
from marked
left join faults using (response_id)
