{# A request about one answer is answered for every perspective of its question at once. #}
with

requests as (
    select
        response_id,
        {{ alike_in_group([
            'run_id', 'request_id', 'judge_id', 'answer_id', 'metric', 'template'
        ]) }},
        case when bool_and(status = 'scored') then 'answered' else 'error' end as request_status,
        min(status) filter (where status != 'scored') as error_kind,
        case when bool_and(status = 'scored') then 'parsed' else 'not_answered' end as parse_status,
        null::varchar as parse_reason,
        bool_or(is_current) as is_current,
        bool_and(is_stale) as is_stale,
        any_value(latency_s) as latency_s,
        max(answered_at) as answered_at,
        any_value(source_file) as source_file,
        any_value(source_record) as source_record
    from {{ ref('int_likelihoods_current') }}
    group by response_id
)

select
    *,
    {{ answer_status() }} as answer_status
from requests
