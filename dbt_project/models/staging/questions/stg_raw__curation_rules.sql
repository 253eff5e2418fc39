with source as (select * from {{ source('raw', 'curation_rules') }})

select
    dataset_id,
    step,
    step_order::bigint as step_order,
    unit,
    rule_order::bigint as rule_order,
    rule,
    effect,
    n_before,
    n_affected
from source
