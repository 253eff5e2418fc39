with source as (select * from {{ source('raw', 'scores') }})

select
    {{ request_columns() }},
    item_id,
    coalesce(item_kind, 'speech') as item_kind,
    {{ variant_id('template') }} as variant_id,
    dimension,
    value,
    value_released,
    parse_status,
    parse_reason,
    answer_format,
    {{ reply_columns() }}
from source
