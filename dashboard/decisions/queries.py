"""The questions the page on decisions puts to the published marts."""

from dashboard.core.data import asking, query

# Which topic, data set and judge have a decision.
# Real data come first, then those of which anything can be told.
choices = query("""
select
    topic,
    dataset_id,
    coalesce(any_value(title), dataset_id) as title,
    coalesce(any_value(is_sample), false) as is_sample,
    list_sort(list(distinct judge_id) filter (judge_id is not null)) as judge_ids,
    min(judge_id) filter (answer != 'cannot tell') as told_judge_id
from rpt_decisions
left join dim_dataset using (dataset_id)
group by topic, dataset_id
order by is_sample, bool_and(answer = 'cannot tell'), dataset_id, topic""")

# The decisions of one topic on one data set, of these judges.
decisions = query("""
select rpt_decisions.*, dim_dataset.label_policy
from rpt_decisions
left join dim_dataset using (dataset_id)
where topic = $topic
    and dataset_id = $dataset
    and (judge_id is null or list_contains($judges, judge_id))
order by judge_id, task, dimension, experiment, template, variant_id, question""")

# The decisions of one topic, of a data set and a judge where they are named.
all_decisions = asking(
    "rpt_decisions",
    "dataset_id, judge_id, task, dimension, experiment, template, variant_id, question",
    """topic = $topic
    and $dataset in ('', dataset_id)
    and $judge in ('', judge_id)""",
)
