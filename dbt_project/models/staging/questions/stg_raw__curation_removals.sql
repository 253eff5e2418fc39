with source as (select * from {{ source('raw', 'curation_removals') }})

select
    dataset_id,
    step,
    unit,
    item_id,
    rule,
    text,
    detail,
    because_of
from source
