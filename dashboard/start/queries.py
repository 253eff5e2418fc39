"""The questions the first page puts to the published marts."""

from collections.abc import Sequence

from dashboard.core.data import Answer, ask, query
from warehouse.reader import Version

CHANGES_LISTED = 100
# What each choice asks of a row: of the judge, and of the task that the page is about.
SIZES = {
    "any": "true",
    "small": "size_b_params < 10",
    "medium": "size_b_params between 10 and 70",
    "large": "size_b_params > 70",
    "unknown": "size_b_params is null",
}
COSTS = {
    "any": "true",
    "free": "cost_usd_per_1000 = 0",
    "1": "cost_usd_per_1000 <= 1",
    "10": "cost_usd_per_1000 <= 10",
    "unknown": "cost_usd_per_1000 is null",
}

# The tasks that any judge was asked about, and who makes the judges: one row for each.
choices = query("""
select 'task' as what, task as choice, count(*) as judge_count
from rpt_judge_tasks
where is_headline
group by all
union all
select 'made' as what, choice, count(*) as judge_count
from (
    select judge_id, unnest(list_distinct([provider, family])) as choice
    from dim_judge
    where judge_id in (select judge_id from rpt_judge_tasks where is_headline)
)
group by all
order by what, judge_count desc, choice""")


def judge_tasks(version: Version, task: str, made: Sequence[str], size: str, cost: str) -> Answer:
    """Each judge on each task, the best on the chosen task first; then those not asked about it.

    Nobody among those shown and asked alike is both cheaper than one on the frontier and as good.

    Args:
        task: What judges are sorted by, and whose cost counts.
        made: Providers and families; all where there are none.
    """
    whose = "list_has_any($made, [provider, family])" if made else "true"
    sql = f"""
with asked as (
    select *, if(better = 'lower', -estimate, estimate) as worth
    from rpt_judge_tasks
    left join dim_judge using (judge_id)
    where is_headline and {SIZES[size]} and {whose}
),
shown as (
    select *
    from asked
    where {COSTS[cost]} or task <> $task
),
chosen as (select judge_id, worth from shown where task = $task)
select
    shown.*,
    chosen.judge_id is not null as is_asked,
    shown.is_main_setting and shown.worth is not null and shown.cost_usd_per_1000 is not null
    and not exists (
        from shown as other
        where other.task = shown.task
            and other.is_main_setting
            and other.cost_usd_per_1000 <= shown.cost_usd_per_1000
            and other.worth >= shown.worth
            and (other.cost_usd_per_1000 < shown.cost_usd_per_1000 or other.worth > shown.worth)
    ) as is_on_frontier
from shown
left join chosen using (judge_id)
where is_asked or $cost = 'any'
order by is_asked desc, chosen.worth desc nulls last, shown.judge_id, shown.task"""
    return ask(version, sql, task=task, made=list(made), cost=cost)


# How many estimates the version changed against the one before, by kind of change: one row.
change_counts = query("""
select
    any_value(publication.version_before) as version_before,
    count(*) filter (where change = 'appeared') as appeared,
    count(*) filter (where change = 'moved') as moved,
    count(*) filter (where change = 'changed') as changed,
    count(*) filter (where change = 'vanished') as vanished
from publication
left join estimate_changes on true""")

# Estimates that moved by more than their interval, and those that appeared.
changes = query(f"""
select
    change, subject, judge_id, measure, dataset_id, value_before, low_before, high_before, value,
    low, high, n, mart, setting, population
from estimate_changes
where change in ('moved', 'appeared')
order by change desc, subject, measure, judge_id, setting
limit {CHANGES_LISTED}""")

# The judges that changed between two waves over the same frozen items.
drifts = query("""
select question, judge_id
from rpt_decisions
where topic = 'drift' and answer = 'yes'
order by judge_id, question""")
