{% set columns %}
    response_id, run_id, judge_id, template, request_status, error_kind, parse_status,
    parse_reason, answer_status, is_current, is_stale, attempts, tokens_in, tokens_cached,
    tokens_out, latency_s, cost_usd, answered_at
{% endset %}
{{ config(materialized='view') }}

select {{ score() }} as answer_kind, {{ columns }} from {{ ref('int_scores_current') }}
union all
select {{ verdict() }} as answer_kind, {{ columns }} from {{ ref('int_verdicts_current') }}
