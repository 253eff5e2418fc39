with partial_answers as (select * from {{ ref('stg_raw__partial_answers') }})

select
    partial_answer_id,
    dataset_id,
    question_id,
    position,
    point_of_view,
    explanation,
    len(string_split_regex(trim(point_of_view || ' ' || explanation), '\s+'))::bigint as word_count,
    document_ids,
    text_hash
from partial_answers
