with source as (select * from {{ source('raw', 'questions') }})

select
    question_id,
    dataset_id,
    question,
    split,
    origin,
    domain,
    item_hash,
    extra
from source
