select
    {{ request_columns() }},
    debate_id,
    {{ key_of([
        'judge_id', 'dataset_id', 'template', 'task', 'manual', 'house_order', 'strategy',
        'has_motion', 'has_info_slide'
    ]) }} as setting_id,
    task,
    manual,
    house_order,
    named_order,
    strategy,
    has_motion,
    has_info_slide,
    parse_status,
    parse_reason,
    context_tokens,
    is_context_exact,
    answer_format,
    {{ reply_columns() }}
from {{ source('raw', 'adjudications') }}
