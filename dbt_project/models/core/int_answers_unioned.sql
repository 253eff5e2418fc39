{# Each kind of answer brings those of these columns that it has. #}
{% set kept = [
    'response_id', 'run_id', 'judge_id', 'template', 'request_status', 'error_kind', 'parse_status',
    'parse_reason', 'answer_status', 'is_current', 'is_stale', 'attempts', 'tokens_in',
    'tokens_cached', 'tokens_out', 'latency_s', 'cost_usd', 'answered_at',
] %}
{{ config(materialized='view') }}

with

-- Of a reply with several scores the first, which stands for the request.
scores as (select * from {{ ref('int_scores_current') }} where part = 0),

-- A reply of which something could not be read counts as one that could not: it is not whole.
adjudications as (
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

{% for kind, answers in [
    (score(), 'scores'),
    (score(), ref('int_answer_scores_current')),
    (verdict(), ref('int_verdicts_current')),
    (pressed_verdict(), ref('int_pressed_verdicts')),
    (answer(), ref('int_answers_current')),
    (writing(), ref('int_written_speeches_current')),
    (adjudication(), 'adjudications'),
    (transcript(), ref('int_oversight_requests')),
    (judgement(), ref('int_oversight_answers')),
    (likelihood(), ref('int_likelihood_requests')),
] %}
    select {{ kind }} as answer_kind, columns('^({{ kept | join('|') }})$') from {{ answers }}
    {{ 'union all by name' if not loop.last }}
{% endfor %}
