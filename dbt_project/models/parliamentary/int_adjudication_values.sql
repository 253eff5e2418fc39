{#
Every place a counting request asked about has a row, so that what could not be read is counted and
bounded and not only absent.
#}
with

asked as (
    select answer_key, response_id, setting_id, debate_id, task as asked_task, request_status
    from {{ ref('int_adjudications_current') }}
    where is_counted
),

places as (
    {{ parliamentary_places() }}
)

select
    asked.answer_key,
    asked.setting_id,
    results.debate_key,
    places.*,
    found.value as predicted,
    case
        when found.value is not null then null
        when asked.request_status != 'answered' then 'not_answered'
        else coalesce(found.reason, 'not_recorded')
    end as reason,
    results.official,
    results.official_rank
from asked
inner join places on asked.asked_task in (places.task, {{ all_tasks() }})
left join {{ ref('stg_raw__adjudication_values') }} as found
    on
        asked.response_id = found.response_id
        and places.task = found.task
        and places.place = found.place
left join {{ ref('int_bp_results') }} as results
    on
        asked.debate_id = results.debate_id
        and places.task = results.task
        and places.place = results.place
