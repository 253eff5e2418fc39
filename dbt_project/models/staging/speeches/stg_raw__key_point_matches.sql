with source as (select * from {{ source('raw', 'key_point_matches') }})

select
    analysis_id,
    sentence_id,
    key_point_id,
    similarity,
    is_matched,
    is_best
from source
