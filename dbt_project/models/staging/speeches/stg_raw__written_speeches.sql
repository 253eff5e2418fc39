select
    {{ request_columns() }},
    debate_id,
    word_limit::bigint as word_limit,
    speech,
    item_id,
    word_count_written::bigint as word_count_written,
    word_count::bigint as word_count,
    removed_sentence_count::bigint as removed_sentence_count,
    parse_status,
    parse_reason,
    answer_format,
    {{ reply_columns() }}
from {{ source('raw', 'written_speeches') }}
