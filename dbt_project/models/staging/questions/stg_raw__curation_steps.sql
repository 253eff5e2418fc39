select
    dataset_id,
    step,
    step_order::bigint as step_order,
    is_done,
    embedder,
    split_part(model, ' ', 1) as model,
    split_part(reranker, ' ', 1) as reranker
from {{ source('raw', 'curation_steps') }}
