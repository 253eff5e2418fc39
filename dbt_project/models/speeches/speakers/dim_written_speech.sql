with

speeches as (select item_id, source from {{ ref('stg_raw__speeches') }}),

speakers as (select dataset_id, source, speaker_family from {{ ref('int_speakers') }})

select
    written.* exclude (
        request_id, settings_hash, item_hash, prompt_hash, speech, item_id, parse_status,
        answer_format, response, request_status, error_kind, finish_reason, attempts,
        tokens_cached, source_file, source_record, extra, loaded_at
    ),
    case when written.is_item then written.item_id end as item_id,
    speakers.speaker_family,
    speeches.source,
    written.speech as text
from {{ ref('int_written_speeches_current') }} as written
left join speeches on written.is_item and written.item_id = speeches.item_id
left join speakers
    on written.dataset_id = speakers.dataset_id and speeches.source = speakers.source
