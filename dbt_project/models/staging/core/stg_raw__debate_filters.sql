select * exclude (_source_file, _loaded_at) replace (rule_order::bigint as rule_order)
from {{ source('raw', 'debate_filters') }}
