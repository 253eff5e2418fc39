select
    {{ request_columns() }},
    debate_id,
    {{ variant_id(
        'template', verbalizer(), position(), 'outcome', 'reasoning', 'answer_order'
    ) }} as variant_id,
    {{ verbalizer() }} as verbalizer,
    {{ position() }} as position,
    rebuttal,
    -- Else it is the id of the judge that wrote it.
    case when contains(rebuttal, '/') then 'debater' else rebuttal end as rebuttal_kind,
    said_by,
    first_template,
    first_winner,
    first_request_id,
    winner,
    parse_status,
    parse_reason,
    answer_format,
    {{ reply_columns() }}
from {{ source('raw', 'pressed_verdicts') }}
