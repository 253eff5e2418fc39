with

source as (select * from {{ source('raw', 'scores') }}),

scores as (
    select
        {{ request_columns() }},
        coalesce(part, 0)::bigint as part,
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
)

-- A reply that holds several scores is one response, and each score has an id of its own.
select
    * replace (
        case when part > 0 then response_id || '#' || part else response_id end as response_id
    )
from scores
