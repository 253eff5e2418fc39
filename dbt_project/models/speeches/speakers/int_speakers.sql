{#
Speeches that this project had a model write say which; a source that is a judge's id is that judge too.
What released sources are stands in a seed.
#}
with

scored as (select distinct dataset_id from {{ loaded('dimensions') }}),

written as (
    select distinct item_id, judge_id
    from {{ ref('stg_raw__written_speeches') }}
),

sources as (
    select speeches.dataset_id, speeches.source, min(written.judge_id) as written_by
    from {{ ref('stg_raw__speeches') }} as speeches
    semi join scored on speeches.dataset_id = scored.dataset_id
    left join written on speeches.item_id = written.item_id
    group by all
),

judges as (select judge_id, family from {{ loaded('judges') }})

select
    sources.dataset_id,
    sources.source,
    case when judges.judge_id is not null then 'model' else released.speaker_kind end
        as speaker_kind,
    case
        when judges.judge_id is not null then judges.judge_id
        when released.speaker_kind = 'model' then sources.source
    end as speaker_id,
    case when judges.judge_id is not null then judges.family else released.speaker_family end
        as speaker_family
from sources
left join judges on coalesce(sources.written_by, sources.source) = judges.judge_id
left join {{ ref('speech_speakers') }} as released on sources.source = released.source
