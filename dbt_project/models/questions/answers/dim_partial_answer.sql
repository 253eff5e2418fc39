with partial_answers as (select * from {{ loaded('partial_answers') }})

select
    partial_answer_id,
    dataset_id,
    question_id,
    position,
    point_of_view,
    explanation,
    {{ words_in("point_of_view || ' ' || explanation") }}::bigint as word_count,
    document_ids,
    text_hash
from partial_answers
