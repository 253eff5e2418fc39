select
    {{ request_columns() }},
    debate_id,
    {{ variant_id(
        'template', verbalizer(), position(), 'outcome', 'reasoning', 'answer_order'
    ) }} as variant_id,
    {{ verbalizer() }} as verbalizer,
    {{ position() }} as position,
    pro_label,
    con_label,
    first_side,
    outcome,
    reasoning,
    answer_order,
    winner,
    p_pro,
    p_pro_low,
    p_pro_high,
    parse_status,
    parse_reason,
    answer_format,
    {{ reply_columns() }}
from {{ source('raw', 'verdicts') }}
