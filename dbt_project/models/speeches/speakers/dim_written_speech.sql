with

written as (select * from {{ ref('int_written_speeches_current') }}),

speeches as (select item_id, source from {{ ref('stg_raw__speeches') }}),

speakers as (select dataset_id, source, speaker_family from {{ ref('int_speakers') }})

select
    written.response_id,
    written.run_id,
    written.experiment,
    case when written.is_item then written.item_id end as item_id,
    written.dataset_id,
    written.debate_id,
    written.motion,
    written.judge_id,
    speakers.speaker_family,
    speeches.source,
    written.template,
    written.wording,
    written.word_limit,
    written.sample,
    written.answer_status,
    written.parse_reason,
    written.is_current,
    written.is_stale,
    written.is_item,
    written.speech as text,
    written.word_count_written,
    written.word_count,
    written.removed_sentence_count,
    written.tokens_in,
    written.tokens_out,
    written.latency_s,
    written.cost_usd,
    written.answered_at
from written
left join speeches on written.is_item and written.item_id = speeches.item_id
left join speakers
    on written.dataset_id = speakers.dataset_id and speeches.source = speakers.source
