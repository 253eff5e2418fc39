{% set columns %}
    response_id, run_id, judge_id, template, request_status, error_kind, parse_status,
    parse_reason, answer_status, is_current, is_stale, attempts, tokens_in, tokens_cached,
    tokens_out, latency_s, cost_usd, answered_at
{% endset %}
{{ config(materialized='view') }}

-- Of a reply with several scores the first, which stands for the request.
select {{ score() }} as answer_kind, {{ columns }}
from {{ ref('int_scores_current') }}
where part = 0
union all
select {{ score() }} as answer_kind, {{ columns }} from {{ ref('int_answer_scores_current') }}
union all
select {{ verdict() }} as answer_kind, {{ columns }} from {{ ref('int_verdicts_current') }}
union all
select {{ pressed_verdict() }} as answer_kind, {{ columns }} from {{ ref('int_pressed_verdicts') }}
union all
select {{ answer() }} as answer_kind, {{ columns }} from {{ ref('int_answers_current') }}
union all
select {{ writing() }} as answer_kind, {{ columns }} from {{ ref('int_written_speeches_current') }}
union all
-- A reply of which something could not be read counts as one that could not: it is not whole.
select
    {{ adjudication() }} as answer_kind,
    {{ columns }}
from (
    select
        * replace (
            case parse_status when 'partly' then {{ unparsed() }} else parse_status end
                as parse_status,
            case parse_status
                when 'partly' then coalesce(parse_reason, 'partly') else parse_reason
            end
                as parse_reason
        )
    from {{ ref('int_adjudications_current') }}
)
union all
select {{ transcript() }} as answer_kind, {{ columns }} from {{ ref('int_oversight_requests') }}
union all
select {{ judgement() }} as answer_kind, {{ columns }} from {{ ref('int_oversight_answers') }}
union all by name
select
    {{ likelihood() }} as answer_kind, response_id, run_id, judge_id, template, request_status,
    error_kind, parse_status, parse_reason, answer_status, is_current, is_stale, latency_s,
    answered_at
from {{ ref('int_likelihood_requests') }}
