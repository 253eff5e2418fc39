{#
An answer's score does not depend on the experiment it was asked for in, so one counts over all of
them.
#}
with

scores as (
    select * from {{ ref('stg_raw__scores') }} where item_kind = {{ answer() }}
),

answers as (
    select answer_id as item_id, answer_hash as hash_now
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
)

select
    scores.*,
    {{ answer_status() }} as answer_status,
    coalesce(hash_now != item_hash, true) as is_stale,
    superseded.response_id is null as is_current
from scores
left join answers using (item_id)
left join {{ ref('int_responses_superseded') }} as superseded using (response_id)
