select
    * exclude (_source_file, _loaded_at) replace (
        step_order::bigint as step_order,
        rule_order::bigint as rule_order
    )
from {{ source('raw', 'curation_rules') }}
