with source as (select * from {{ source('raw', 'debate_filters') }})

select
    debate_id,
    dataset_id,
    rule_order::bigint as rule_order,
    rule,
    is_removed,
    reason
from source
