with

debates as (select * from {{ ref('stg_raw__debates') }}),

measured as (select * from {{ ref('int_debates_measured') }}),

datasets as (select dataset_id, is_sample from {{ ref('stg_raw__datasets') }})

select
    debates.debate_id,
    debates.dataset_id,
    debates.motion,
    debates.format,
    coalesce(measured.speech_count, 0) as speech_count,
    coalesce(measured.word_count, 0) as word_count,
    measured.debate_hash,
    datasets.is_sample
from debates
inner join datasets using (dataset_id)
left join measured using (debate_id)
