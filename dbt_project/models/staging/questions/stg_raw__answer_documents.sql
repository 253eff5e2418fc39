with source as (select * from {{ source('raw', 'answer_documents') }})

select
    run_id || '#' || request_id as response_id,
    document_rank::bigint as document_rank,
    document_id,
    chunk::bigint as chunk,
    similarity,
    question_id,
    search::bigint as search,
    url,
    text_hash
from source
