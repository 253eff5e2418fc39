{#
A repeat of a run keeps a speech's id, and so does a run that shares the request: one row counts. It is
the one that loading made an item of, where it brought a speech and the motion is what it was.
#}
with

topics as (
    select debate_id, motion, sha256(motion) as hash_now from {{ ref('stg_raw__debates') }}
)

select
    written.*,
    topics.motion,
    {{ answer_status() }} as answer_status,
    coalesce(topics.hash_now != written.item_hash, true) as is_stale,
    superseded.response_id is null as is_current,
    is_current and not is_stale and parse_status = 'parsed' as is_item
from {{ ref('stg_raw__written_speeches') }} as written
left join topics using (debate_id)
left join {{ ref('int_responses_superseded') }} as superseded using (response_id)
