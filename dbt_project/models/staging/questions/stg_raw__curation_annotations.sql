with source as (select * from {{ source('raw', 'curation_annotations') }})

select
    dataset_id,
    partial_answer_id,
    question_id,
    annotator_id,
    task,
    is_met,
    text_hash
from source
