with source as (select * from {{ source('raw', 'curation_pairs') }})

select
    dataset_id,
    question_id,
    first_id,
    second_id,
    similarity,
    is_distinct
from source
