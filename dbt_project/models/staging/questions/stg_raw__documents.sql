with source as (select * from {{ source('raw', 'documents') }})

select
    document_id,
    dataset_id,
    question_id,
    position::bigint as position,
    url,
    top_level_domain,
    title,
    text,
    word_count::bigint as word_count,
    extra
from source
