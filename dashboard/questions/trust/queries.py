"""The questions the page about trusting a metric puts to the published marts."""

from dashboard.core.data import asking, query

# Data sets of which anything is known, real ones first.
datasets = query("""
with there as (
    select dataset_id from rpt_metric_alignment
    union
    select dataset_id from rpt_dispute_accuracy
    union
    select dataset_id from rpt_backbone_stability
    union
    select dataset_id from rpt_annotation_agreement
)
select
    dataset_id,
    coalesce(title, dataset_id) as title,
    coalesce(is_sample, false) as is_sample
from there
left join dim_dataset using (dataset_id)
order by is_sample, dataset_id""")

# How far each metric ranks answers as people do, the closest first.
alignment = asking(
    "rpt_metric_alignment",
    "scope desc, spearman desc nulls last, metric, evaluator_id, evaluator_template",
    "dataset_id = $dataset and ranking_method = $method",
)

# How well judges of D.A. tell what people find, the best first.
accuracy = query("""
select *, 100 * gain as gain_points, 100 * gain_low as gain_points_low,
    100 * gain_high as gain_points_high
from rpt_dispute_accuracy
where dataset_id = $dataset
order by gain desc nulls last, accuracy desc nulls last, evaluator_id, evaluator_template""")

# Whether models keep their places by another evaluator or wording, the least first.
stability = asking(
    "rpt_backbone_stability",
    """kendall nulls last, metric, comparison, condition_id, evaluator_a,
    evaluator_template_a, evaluator_b, evaluator_template_b""",
)

# How far people agree among themselves.
people = asking("rpt_annotation_agreement", "task, measure")

# How many answers have viewpoints that the data set lacks, the most first.
missing_viewpoints = asking(
    "rpt_missing_viewpoints",
    "missing_share desc nulls last, judge_id, template, setting_id, evaluator_id",
)

# What the paper prints of that, with Wilson's intervals of its shares.
published_missing_viewpoints = query("""
select model, evaluator, value, value_low, value_high, printed_text, n, location
from rpt_debateqa_published
where subject = 'missing_viewpoints'
order by value desc, model""")

# What the paper prints of alignment, the closest first.
published_alignment = query("""
select
    metric, evaluator, location,
    max(value) filter (statistic = 'spearman') as spearman,
    max(value) filter (statistic = 'kendall') as kendall
from rpt_debateqa_published
where subject = 'alignment'
group by metric, evaluator, location
order by spearman desc, metric, evaluator""")

# What the paper prints of judges of D.A., beside always answering 1 on its labels.
published_accuracy = query("""
with lines as (
    select
        metric, evaluator, location, max(n) as n, any_value(note) as note,
        max(value) filter (statistic = 'accuracy') as accuracy,
        max(value) filter (statistic = 'f1') as f1,
        max(value) filter (statistic = 'auroc') as auroc,
        max(value) filter (statistic = 'mcc') as mcc
    from rpt_debateqa_published
    where subject = 'dispute_accuracy'
    group by metric, evaluator, location
)
select lines.*, 100 * (lines.accuracy - always.accuracy) as gain_points
from lines
left join lines as always on always.metric = 'always 1'
order by lines.accuracy desc, lines.metric, lines.evaluator""")

# What the paper prints of how far people agree.
published_people = query("""
select metric, statistic, value, printed_text, location, note
from rpt_debateqa_published
where subject = 'people'
order by metric, statistic""")
