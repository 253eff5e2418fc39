{% set statuses = {
    'unreadable_count': "('unparsed')",
    'refused_count': "('refused')",
    'filtered_count': "('filtered')",
    'truncated_count': "('truncated')",
    'context_overflow_count': "('context_overflow')",
    'timeout_count': "('timeout')",
    'malformed_count': "('malformed')",
    'rate_limited_count': "('rate_limited', 'overloaded')",
    'account_error_count': "('authentication', 'billing')",
} %}
{% set unbilled -%}
    ('authentication', 'bad_request', 'billing', 'context_overflow', 'overloaded', 'rate_limited')
{%- endset %}
with

-- A request known to fail is not sent: it costs nothing, reads nothing and takes no time. Where
-- nobody says how often a request was sent, it was. One that was refused before anything was done
-- is never billed; journals of earlier releases leave that cost out. After several attempts an
-- earlier one may have been billed.
answers as (
    select
        * replace (
            case
                when attempts = 1 and request_status != 'answered' and error_kind in {{ unbilled }}
                    then coalesce(cost_usd, 0)
                else cost_usd
            end as cost_usd
        ),
        coalesce(attempts, 1) > 0 as is_sent
    from {{ ref('int_answers_unioned') }}
),

reasons as (
    select run_id, json_group_object(parse_reason, answer_count)::varchar as unparsed_by_reason
    from (
        select run_id, parse_reason, count(*) as answer_count
        from answers
        where parse_status = {{ unparsed() }}
        group by all
        order by all
    )
    group by run_id
),

errors as (
    select run_id, json_group_object(error_kind, answer_count)::varchar as errors_by_kind
    from (
        select run_id, coalesce(error_kind, 'unknown') as error_kind, count(*) as answer_count
        from answers
        where request_status != 'answered'
        group by all
        order by all
    )
    group by run_id
),

omitted as (
    select run_id, string_agg(distinct parameter, ', ' order by parameter) as omitted_parameters
    from (
        select run_id, unnest(json_extract_string(omitted_parameters, '$[*]')) as parameter
        from {{ ref('dim_response') }}
        where omitted_parameters is not null
    )
    group by run_id
),

shares as (
    select
        run_id,
        string_agg(distinct template, ', ' order by template) as template,
        count(*) as request_count,
        count(*) filter (request_status = 'answered') as answered_count,
        count(*) filter (parse_status in ('parsed', 'supplied')) as parsed_count,
        count(*) filter (parse_status = {{ unparsed() }}) as unparsed_count,
        count(*) filter (request_status != 'answered' and answer_status != 'no_reference')
            as error_count,
        {% for name, words in statuses.items() %}
            count(*) filter (answer_status in {{ words }}) as {{ name }},
        {% endfor %}
        count(*) filter (is_stale) as stale_count,
        count(*) filter (is_sent) as sent_count,
        sum(attempts)::bigint as attempt_count,
        (sum(attempts) - count(attempts) filter (is_sent))::bigint as retry_count,
        (sum(tokens_in) filter (is_sent))::bigint as tokens_in,
        (sum(tokens_cached) filter (is_sent))::bigint as tokens_cached,
        (sum(tokens_out) filter (is_sent))::bigint as tokens_out,
        sum(cost_usd) filter (is_sent) as cost_known_usd,
        count(cost_usd) filter (is_sent) as cost_known_count,
        count(latency_s) filter (is_sent) as latency_known_count,
        quantile_cont(latency_s, 0.5) filter (is_sent) as latency_p50_s,
        quantile_cont(latency_s, 0.9) filter (is_sent) as latency_p90_s,
        quantile_cont(latency_s, 0.99) filter (is_sent) as latency_p99_s,
        count(*) filter (answer_status = 'no_reference') as no_reference_count,
        -- Data without a reference are no failure of a judge that is made from one.
        request_count - no_reference_count as judged_count,
        judged_count - parsed_count as failure_count,
        failure_count / nullif(judged_count, 0)::double as failure_share,
        unparsed_count / nullif(answered_count, 0)::double as unparsed_share,
        case when cost_known_count = sent_count then coalesce(cost_known_usd, 0) end as cost_usd
    from answers
    group by run_id
)

select
    runs.* exclude (origin, settings_hash, item_file, code_version, parser_version, source_file),
    shares.template,
    coalesce(request_count, 0) as request_count,
    greatest(runs.planned_count - coalesce(request_count, 0), 0) as unasked_count,
    {{ or_zero(['answered_count', 'parsed_count', 'failure_count', 'no_reference_count']) }},
    failure_share,
    {{ wilson_ends('failure_share', 'judged_count') }},
    coalesce(unparsed_count, 0) as unparsed_count,
    unparsed_share,
    {{ wilson_ends('unparsed_share', 'answered_count') }},
    coalesce(unparsed_by_reason, '{}') as unparsed_by_reason,
    coalesce(error_count, 0) as error_count,
    coalesce(errors_by_kind, '{}') as errors_by_kind,
    {% for name in statuses %}
        coalesce({{ name }}, 0) as {{ name }},
    {% endfor %}
    coalesce(
        failure_count
        {% for name in statuses %}
            - {{ name }}
        {% endfor %},
        0
    ) as other_error_count,
    coalesce(stale_count, 0) as stale_count,
    coalesce(sent_count, 0) as sent_count,
    attempt_count,
    retry_count,
    tokens_in,
    tokens_cached,
    tokens_out,
    cost_usd,
    cost_known_usd,
    coalesce(cost_known_count, 0) as cost_known_count,
    coalesce(latency_known_count, 0) as latency_known_count,
    latency_p50_s,
    latency_p90_s,
    latency_p99_s,
    omitted_parameters
from {{ ref('dim_run') }} as runs
left join shares using (run_id)
left join reasons using (run_id)
left join errors using (run_id)
left join omitted using (run_id)
