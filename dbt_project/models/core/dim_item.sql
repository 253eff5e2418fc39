{#
Texts somebody judged. All turns of all debates of debate.org are over a gigabyte that nobody looks
up; they stay in the warehouse.
#}
with

judged_items as (
    select item_id from {{ ref('stg_raw__human_ratings') }}
    union
    select item_id from {{ ref('stg_raw__scores') }}
),

judged_debates as (
    select debate_id from {{ ref('stg_raw__verdicts') }}
    union
    select debate_id from {{ loaded('human_verdicts') }}
    union
    select debate_id from {{ ref('stg_raw__adjudications') }}
),

datasets as (select dataset_id, is_sample from {{ ref('stg_raw__datasets') }})

select
    speeches.* exclude (speaker_role, role, start_s, end_s, quotes_outside_count),
    debates.motion,
    datasets.is_sample
from {{ ref('stg_raw__speeches') }} as speeches
inner join {{ ref('stg_raw__debates') }} as debates using (debate_id)
inner join datasets on speeches.dataset_id = datasets.dataset_id
where
    datasets.is_sample
    or speeches.item_id in (select item_id from judged_items)
    or speeches.debate_id in (select debate_id from judged_debates)
