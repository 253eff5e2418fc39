{# What each judge gave as its reasons, with its score. #}
select
    justifications.analysis_id,
    justifications.request_id,
    justifications.response_id,
    justifications.judge_id,
    justifications.item_id,
    speeches.debate_id,
    speeches.source,
    justifications.sample,
    scores.value as score,
    justifications.justification,
    justifications.word_count,
    justifications.status,
    justifications.reason,
    justifications.rephrased_by,
    justifications.sentence_count
from {{ ref('stg_raw__key_point_justifications') }} as justifications
inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
left join {{ ref('stg_raw__scores') }} as scores using (response_id)
