select
    {{ request_columns() }},
    question_id,
    transcript_id,
    protocol,
    step::bigint as step,
    is_final,
    answer_order,
    probe,
    probed_answer::bigint as probed_answer,
    asked_for,
    p_answer_0,
    choice::bigint as choice,
    parse_status,
    parse_reason,
    answer_format,
    {{ reply_columns() }}
from {{ source('raw', 'oversight_judgements') }}
