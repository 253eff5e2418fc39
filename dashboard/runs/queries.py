"""The questions the page about runs puts to the published marts."""

from dashboard.core.data import Answer, query
from warehouse.reader import Version

EXAMPLE_LENGTH = 160

_OF_SELECTION = """list_contains($experiments, rpt_run_health.experiment)
    and list_contains($judges, rpt_run_health.judge_id)"""

# What can be chosen: experiment × judge, and how requests have failed there.
choices = query("""
select
    rpt_run_health.experiment,
    rpt_run_health.judge_id,
    list_sort(list(distinct rpt_failures.answer_status)
        filter (rpt_failures.answer_status is not null)) as answer_statuses
from rpt_run_health
left join rpt_failures on rpt_run_health.run_id = rpt_failures.run_id
group by all
order by all""")


def everything(version: Version) -> tuple[Answer, Answer, Answer]:
    """All runs, their totals and the outcomes of their requests, as the three below have them."""
    found = choices(version).frame
    chosen = tuple(found["experiment"].unique()), tuple(found["judge_id"].unique())
    return runs(version, *chosen), totals(version, *chosen), statuses(version, *chosen)


# Every run, the one that lost the largest share of its requests first.
runs = query(f"""
select *
from rpt_run_health
where {_OF_SELECTION}
order by failure_share desc nulls last, unasked_count desc, started_at desc nulls last, run_id""")

# Counts, tokens and cost of all the runs together: one row.
totals = query(f"""
select
    count(*) as run_count,
    count(*) filter (status = 'complete') as complete_count,
    count(*) filter (failure_count > 0) as failing_run_count,
    sum(planned_count)::bigint as planned_count,
    sum(request_count)::bigint as request_count,
    sum(parsed_count)::bigint as parsed_count,
    sum(no_reference_count)::bigint as no_reference_count,
    sum(unasked_count)::bigint as unasked_count,
    case when bool_and(request_count = 0 or cost_usd is not null) then sum(cost_usd) end
        as cost_usd,
    sum(cost_known_usd) as cost_known_usd,
    sum(cost_known_count)::bigint as cost_known_count,
    sum(sent_count)::bigint as sent_count,
    sum(tokens_in)::bigint as tokens_in,
    sum(tokens_cached)::bigint as tokens_cached,
    sum(tokens_out)::bigint as tokens_out,
    sum(retry_count)::bigint as retry_count
from rpt_run_health
where {_OF_SELECTION}""")

# What happened to each run's requests: how many were read, failed in each way, or wait.
statuses = query(f"""
with outcomes as (
    select run_id, 'read' as answer_status, parsed_count as amount from rpt_run_health
    union all
    select run_id, answer_status, failure_count from rpt_failures
    union all
    select run_id, 'not asked yet', unasked_count from rpt_run_health
    union all
    select run_id, 'no_reference', no_reference_count from rpt_run_health
)
select
    outcomes.run_id,
    outcomes.answer_status,
    outcomes.amount,
    outcomes.amount / (rpt_run_health.request_count + rpt_run_health.unasked_count) as share
from outcomes
inner join rpt_run_health on outcomes.run_id = rpt_run_health.run_id
where {_OF_SELECTION}
    and outcomes.amount > 0
order by outcomes.run_id, outcomes.answer_status""")

# How requests failed, run by run, with the start of an example's text; most frequent first.
failures = query(f"""
select
    rpt_failures.run_id, rpt_failures.judge_id, rpt_failures.answer_status,
    rpt_failures.failure_count, rpt_failures.request_count, rpt_failures.share,
    rpt_failures.share_low, rpt_failures.share_high, rpt_failures.example_response_id,
    left(coalesce(dim_response.response, dim_response.error_message), {EXAMPLE_LENGTH}) as example
from rpt_failures
inner join rpt_run_health on rpt_failures.run_id = rpt_run_health.run_id
left join dim_response on rpt_failures.example_response_id = dim_response.response_id
where {_OF_SELECTION}
    and list_contains($statuses, rpt_failures.answer_status)
order by
    rpt_failures.share desc, rpt_failures.failure_count desc, rpt_failures.run_id,
    rpt_failures.answer_status""")
