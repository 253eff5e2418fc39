with source as (select * from {{ source('raw', 'key_points') }})

select
    analysis_id,
    key_point_id,
    polarity,
    text,
    sentence_id,
    position::bigint as position,
    gain::bigint as gain
from source
