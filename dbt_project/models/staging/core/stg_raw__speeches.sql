with source as (select * from {{ source('raw', 'speeches') }})

select
    item_id,
    dataset_id,
    debate_id,
    source,
    text,
    word_count::bigint as word_count,
    item_hash,
    speech_order::bigint as speech_order,
    round,
    side,
    speaker,
    speaker_role,
    role,
    start_s,
    end_s,
    case
        when json_valid(extra) then try_cast(extra::json ->> '$.quotes_outside_story' as bigint)
    end as quotes_outside_count
from source
