with source as (select * from {{ source('raw', 'preferences') }})

select
    dataset_id,
    question_id,
    annotator_id,
    answer_a,
    answer_b,
    choice,
    extra
from source
