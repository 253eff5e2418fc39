select
    * exclude (run_id, request_id, _source_file, _loaded_at) replace (
        document_rank::bigint as document_rank,
        chunk::bigint as chunk,
        search::bigint as search
    ),
    run_id || '#' || request_id as response_id
from {{ source('raw', 'answer_documents') }}
