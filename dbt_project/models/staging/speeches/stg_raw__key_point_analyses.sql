with source as (select * from {{ source('raw', 'key_point_analyses') }})

select
    analysis_id,
    name,
    is_labelled,
    dataset_id,
    dimension,
    template,
    rephraser,
    embedder,
    polarity_by,
    match_threshold,
    redundancy_threshold,
    method_hash,
    settings,
    seed,
    code_version,
    made_at
from source
