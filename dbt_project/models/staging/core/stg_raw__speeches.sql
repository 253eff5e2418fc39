select
    * exclude (extra, _source_file, _loaded_at) replace (
        word_count::bigint as word_count,
        speech_order::bigint as speech_order
    ),
    case
        when json_valid(extra) then try_cast(extra::json ->> '$.quotes_outside_story' as bigint)
    end as quotes_outside_count
from {{ source('raw', 'speeches') }}
