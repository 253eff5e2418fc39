with source as (select * from {{ source('raw', 'speaker_results') }})

select
    debate_id,
    dataset_id,
    decided_by,
    role,
    speaker,
    score,
    is_ghost,
    extra
from source
