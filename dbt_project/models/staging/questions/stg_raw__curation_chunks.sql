with source as (select * from {{ source('raw', 'curation_chunks') }})

select
    dataset_id,
    chunk_id,
    question_id,
    document_id,
    position::bigint as position,
    similarity,
    chunk_rank::bigint as chunk_rank,
    nearest_partial_answer_id,
    nearest_similarity,
    is_covered
from source
