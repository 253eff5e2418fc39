with source as (select * from {{ source('raw', 'filter_rules') }})

select
    dataset_id,
    rule_order::bigint as rule_order,
    rule,
    description,
    setting
from source
