with source as (select * from {{ source('raw', 'adjudicators') }})

select
    debate_id,
    dataset_id,
    adjudicator_id,
    name,
    is_chair,
    is_trainee,
    extra
from source
