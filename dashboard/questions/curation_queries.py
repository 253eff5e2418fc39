"""The questions about how sets of debatable questions were made, put to the published marts."""

from dashboard.core.data import asking, query

# Data sets of debatable questions, curated ones first, samples last.
datasets = query("""
with there as (
    select dataset_id from rpt_curation_funnel
    union
    select dataset_id from rpt_curation_distributions
)
select
    dataset_id,
    coalesce(title, dataset_id) as title,
    coalesce(is_sample, false) as is_sample,
    dataset_id in (select dataset_id from rpt_curation_funnel) as is_curated
from there
left join dim_dataset using (dataset_id)
order by is_curated desc, is_sample, dataset_id""")

# What each rule removed, in the order of the rules; steps that are not done last.
funnel = asking("rpt_curation_funnel", "step_order, unit, rule_order")

# What fell, and why, in the order of the steps.
removals = query("""
select step, unit, rule, item_id, text, detail, because_of
from rpt_curation_removals
where dataset_id = $dataset
order by step_order, unit, rule, item_id""")

# The examinations of documents and points of view, and what people let pass; one a row.
quality = query("""
select
    'relevance' as examination, n_questions, n_chunks as n, 0 as left_out_count,
    mean_similarity as value, mean_similarity_low as low, mean_similarity_high as high,
    published_value, embedder, reason
from rpt_document_relevance
where dataset_id = $dataset and averaged_over = 'chunks'
union all
select
    'coverage', n_questions, n_examined, not_examined_count, covered_share, covered_share_low,
    covered_share_high, published_value, embedder, reason
from rpt_view_coverage
where dataset_id = $dataset
union all
select
    'distinctness', n_questions, n_pairs, 0, distinct_share, distinct_share_low,
    distinct_share_high, null, embedder, reason
from rpt_view_distinctness
where dataset_id = $dataset
union all
select
    'annotation', n_questions, n_partial_answers, 0, passed_share, passed_share_low,
    passed_share_high, published_value, null, reason
from rpt_annotation_outcomes
where dataset_id = $dataset and task = 'faultless'""")

# Agreement of the annotators and what they removed, by task, beside the printed kappas.
annotation = query("""
with printed as (
    select
        case when metric like 'annotation task 1%' then 'grounded' else 'addressing' end as task,
        value as published_kappa
    from rpt_debateqa_published
    where subject = 'people' and metric like 'annotation task%'
)
select
    outcomes.*,
    agreement.estimate as kappa,
    agreement.estimate_low as kappa_low,
    agreement.estimate_high as kappa_high,
    agreement.n_items as kappa_items,
    agreement.excluded_count,
    agreement.reason as kappa_reason,
    printed.published_kappa
from rpt_annotation_outcomes as outcomes
left join rpt_annotation_agreement as agreement
    on outcomes.dataset_id = agreement.dataset_id
    and outcomes.task = agreement.task
    and agreement.measure = 'fleiss_kappa'
left join printed on outcomes.task = printed.task
where outcomes.dataset_id = $dataset
order by list_position(['grounded', 'addressing', 'ethical', 'faultless'], outcomes.task)""")

# How questions, perspectives, documents and chunks are distributed.
distributions = asking("rpt_curation_distributions", "quantity, value_order")
