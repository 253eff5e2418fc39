with source as (select * from {{ source('raw', 'sample_labels') }})

select
    sample_id,
    item_id,
    annotator_id,
    value
from source
