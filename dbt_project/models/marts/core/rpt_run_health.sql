with

runs as (select * from {{ ref('dim_run') }}),

scores as (
    select fct_score.*, dim_response.error_kind
    from {{ ref('fct_score') }} as fct_score
    inner join {{ ref('dim_response') }} as dim_response using (response_id)
),

reasons as (
    select run_id, json_group_object(parse_reason, answer_count)::varchar as unparsed_by_reason
    from (
        select run_id, parse_reason, count(*) as answer_count
        from scores
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
        from scores
        where request_status != 'answered'
        group by all
        order by all
    )
    group by run_id
),

counts as (
    select
        run_id,
        string_agg(distinct template, ', ' order by template) as template,
        count(*) as request_count,
        count(*) filter (request_status = 'answered') as answered_count,
        count(*) filter (parse_status in ('parsed', 'supplied')) as parsed_count,
        count(*) filter (parse_status = {{ unparsed() }}) as unparsed_count,
        count(*) filter (request_status != 'answered') as error_count,
        count(*) filter (is_stale) as stale_count,
        sum(tokens_in)::bigint as tokens_in,
        sum(tokens_out)::bigint as tokens_out,
        sum(cost_usd) as cost_usd,
        count(cost_usd) as cost_known_count,
        quantile_cont(latency_s, 0.5) as latency_p50_s,
        quantile_cont(latency_s, 0.9) as latency_p90_s,
        quantile_cont(latency_s, 0.99) as latency_p99_s
    from scores
    group by all
)

select
    runs.run_id,
    runs.experiment,
    runs.judge_id,
    counts.template,
    runs.status,
    runs.planned_count,
    coalesce(request_count, 0) as request_count,
    coalesce(answered_count, 0) as answered_count,
    coalesce(parsed_count, 0) as parsed_count,
    coalesce(unparsed_count, 0) as unparsed_count,
    unparsed_count / nullif(answered_count, 0)::double as unparsed_share,
    {{ wilson_bound(
        'unparsed_count / nullif(answered_count, 0)::double', 'answered_count', -1
    ) }} as unparsed_share_low,
    {{ wilson_bound(
        'unparsed_count / nullif(answered_count, 0)::double', 'answered_count', 1
    ) }} as unparsed_share_high,
    coalesce(unparsed_by_reason, '{}') as unparsed_by_reason,
    coalesce(error_count, 0) as error_count,
    coalesce(errors_by_kind, '{}') as errors_by_kind,
    coalesce(stale_count, 0) as stale_count,
    tokens_in,
    tokens_out,
    cost_usd,
    coalesce(cost_known_count, 0) as cost_known_count,
    latency_p50_s,
    latency_p90_s,
    latency_p99_s,
    runs.started_at,
    runs.ended_at
from runs
left join counts using (run_id)
left join reasons using (run_id)
left join errors using (run_id)
