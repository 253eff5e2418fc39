with source as (select * from {{ source('raw', 'label_probabilities') }})

select
    run_id || '#' || request_id as response_id,
    run_id,
    label,
    logprob,
    p,
    p_low,
    p_high
from source
