{# What each judge gave as its reasons, with its score. #}
select
    justifications.* exclude (run_id, rephrased),
    speeches.debate_id,
    speeches.source,
    scores.value as score
from {{ ref('stg_raw__key_point_justifications') }} as justifications
inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
left join {{ ref('stg_raw__scores') }} as scores using (response_id)
