select
    answer_id,
    {{ request_columns() }},
    question_id,
    temperature,
    top_p,
    target_tokens::bigint as target_tokens,
    retrieval,
    is_trusted_only,
    retriever,
    documents_status,
    answer_hash,
    word_count::bigint as word_count,
    {{ reply_columns() }}
from {{ source('raw', 'answers') }}
