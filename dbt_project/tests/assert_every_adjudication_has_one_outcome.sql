-- Nothing is dropped silently: every request to adjudicate a debate is superseded, stale, or
-- counted under one status; and every place a request asked about has a value or is counted as
-- missing.
with

counted as (
    select setting_id, sum(request_count) as request_count
    from {{ ref('dim_adjudication_setting') }}
    where
        superseded_count + stale_count + parsed_count + partly_count + unparsed_count
        + unanswered_count = request_count
    group by setting_id
),

asked as (
    select setting_id, count(*) as request_count
    from {{ ref('stg_raw__adjudications') }}
    group by setting_id
)

select setting_id
from asked
left join counted using (setting_id)
where counted.request_count is distinct from asked.request_count
union all
select setting_id
from {{ ref('rpt_bp_speaker_scores') }}
where n_values + missing_count > 8 * n_answers or failed_count > missing_count
union all
{% for report, places in [('rpt_bp_verdict', 4), ('rpt_bp_speaker_ranks', 8)] %}
    select setting_id
    from {{ ref(report) }}
    where
        n_values + missing_count != {{ places }} * n_answers
        or missing_count != {{ places }} * failed_count
    {{ 'union all' if not loop.last }}
{% endfor %}
