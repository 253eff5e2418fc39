with

datasets as (select dataset_id, is_sample from {{ ref('stg_raw__datasets') }})

select
    debates.debate_id,
    debates.dataset_id,
    debates.motion,
    debates.format,
    coalesce(measured.speech_count, 0) as speech_count,
    coalesce(measured.word_count, 0) as word_count,
    measured.debate_hash,
    datasets.is_sample,
    judged.human_winner,
    judged.end_side,
    judged.round_count::bigint as round_count,
    judged.words_pro,
    judged.words_con
from {{ ref('stg_raw__debates') }} as debates
inner join datasets using (dataset_id)
left join {{ ref('int_debates_measured') }} as measured using (debate_id)
left join {{ ref('int_debates_judged') }} as judged using (debate_id)
