with source as (select * from {{ source('raw', 'key_point_labels') }})

select
    sentence_id,
    text,
    polarity,
    key_point,
    split
from source
