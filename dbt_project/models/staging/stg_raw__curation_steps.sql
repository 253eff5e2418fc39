with source as (select * from {{ source('raw', 'curation_steps') }})

select
    dataset_id,
    step,
    step_order::bigint as step_order,
    is_done,
    embedder,
    split_part(model, ' ', 1) as model,
    reranker
from source
