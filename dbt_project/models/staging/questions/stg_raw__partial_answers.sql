with source as (select * from {{ source('raw', 'partial_answers') }})

select
    partial_answer_id,
    dataset_id,
    question_id,
    position::bigint as position,
    point_of_view,
    explanation,
    text_hash,
    document_ids,
    extra
from source
