with source as (select * from {{ source('raw', 'samples') }})

select
    sample_id,
    task,
    dataset_id,
    dimension,
    sources,
    strata,
    labels,
    size,
    raters,
    seed,
    drawn_at,
    closed_at,
    policy
from source
