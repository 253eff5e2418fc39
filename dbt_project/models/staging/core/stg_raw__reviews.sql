with source as (select * from {{ source('raw', 'reviews') }})

select
    disagreement_id,
    disagreement_kind,
    unit_kind,
    unit_id,
    dataset_id,
    judge_id,
    template,
    dimension,
    response_id,
    decision,
    tags,
    comment,
    person,
    decided_at,
    _loaded_at as loaded_at
from source
