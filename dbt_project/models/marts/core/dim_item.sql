with

speeches as (select * from {{ ref('stg_raw__speeches') }}),

debates as (select * from {{ ref('stg_raw__debates') }}),

datasets as (select dataset_id, is_sample from {{ ref('stg_raw__datasets') }})

select
    speeches.item_id,
    speeches.dataset_id,
    speeches.debate_id,
    debates.motion,
    speeches.source,
    speeches.speech_order,
    speeches.round,
    speeches.side,
    speeches.speaker,
    speeches.text,
    speeches.word_count,
    speeches.item_hash,
    datasets.is_sample
from speeches
inner join debates using (debate_id)
inner join datasets on speeches.dataset_id = datasets.dataset_id
