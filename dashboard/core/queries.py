"""The questions pages put to the published marts, one function each."""

from dashboard.core.data import WORST_PER_JUDGE, query

_OF_VIEW = """dataset_id = $dataset
    and dimension = $dimension
    and (
        judge_id = 'human'
        or (list_contains($judges, judge_id) and list_contains($templates, template))
    )"""

# What was published, when and by which code: one row.
publication = query("select * from publication")


# A row where any recording or raw transcript was handed in.
any_transcript = query("select 1 from rpt_transcript_queue limit 1")

# What models could be asked about: of speeches what people rated, real data sets first.
to_ask = query("""
select 'speeches' as subject, dataset_id, dimension, is_sample
from dim_dimension
inner join dim_dataset using (dataset_id)
where dataset_id in (
    select dataset_id from dim_item left join dim_debate using (dataset_id, debate_id)
    where end_side is null and format is distinct from 'british_parliamentary'
)
union all
select distinct 'debates', dataset_id, null, is_sample from dim_debate where end_side is not null
union all
select distinct 'parliamentary', dataset_id, null, is_sample from dim_debate
where format = 'british_parliamentary'
union all
select distinct 'questions', dataset_id, null, null from dim_question
union all
select distinct 'stories', dataset_id, null, null from dim_reading_question
order by is_sample, dataset_id, dimension""")

# Data sets with their counts, real ones first.
datasets = query("select * from dim_dataset order by is_sample, dataset_id")

# Every judge.
judges = query("select * from dim_judge where judge_kind <> 'human' order by judge_id")

# What can be chosen: data set × dimension × template, the default first.
choices = query("""
select
    dim_dataset.dataset_id,
    dim_dataset.title,
    dim_dataset.is_sample,
    dim_dimension.dimension,
    dim_dimension.question,
    dim_dimension.scale_min,
    dim_dimension.scale_max,
    rpt_rank_agreement.template,
    dim_variant.is_justified,
    dim_variant.wording,
    count(distinct rpt_rank_agreement.judge_id) as judge_count,
    list_sort(list(distinct rpt_rank_agreement.judge_id)) as judge_ids
from dim_dataset
inner join dim_dimension on dim_dataset.dataset_id = dim_dimension.dataset_id
left join rpt_rank_agreement
    on dim_dimension.dataset_id = rpt_rank_agreement.dataset_id
    and dim_dimension.dimension = rpt_rank_agreement.dimension
    and rpt_rank_agreement.judge_id <> 'human'
left join dim_variant
    on rpt_rank_agreement.template = dim_variant.template and dim_variant.answer_kind = 'score'
group by all
order by is_sample, judge_count desc, dataset_id, dimension, template""")

# Mean pair kappa of people and of each judge in a person's place, best first.
rater_agreement = query(f"""
select
    judge_id, template, mean_kappa, kappa_low, kappa_high, median_kappa, pair_count,
    undefined_pair_count, dropped_pair_count, mean_support, n_units, n_answers, unparsed_count,
    unanswered_count,
    kappa_minus_human, kappa_minus_human_low, kappa_minus_human_high,
    mean_kappa_failures_nearest, mean_kappa_failures_farthest, mean_kappa_released,
    undefined_reason, is_nameable, rank_low, rank_high, n_ranked, standing
from rpt_rater_agreement
left join (
    select dataset_id, dimension, judge_id, template, min_shared_items, is_nameable, rank_low,
        rank_high, n_ranked
    from rpt_judge_ranks
    where measure = 'mean_kappa'
) as ranks using (dataset_id, dimension, judge_id, template, min_shared_items)
left join (
    select dataset_id, dimension, judge_id, template, min_shared_items, standing
    from rpt_judge_tasks
    where task = 'speeches'
) as standings using (dataset_id, dimension, judge_id, template, min_shared_items)
where {_OF_VIEW}
    and min_shared_items = $min_shared
order by mean_kappa desc nulls last, judge_id, template""")

# Rank correlation with people's mean score, best first.
rank_agreement = query(f"""
select
    judge_id, template, tau_c, tau_c_low, tau_c_high, n_items, n_units, n_answers, n_annotators,
    unparsed_count, unanswered_count, unparsed_share, tau_c_failures_nearest,
    tau_c_failures_farthest, tau_c_on_human_items, tau_c_minus_human, tau_c_minus_human_low,
    tau_c_minus_human_high,
    tau_b, tau_b_low, tau_b_high, spearman, spearman_low, spearman_high,
    pearson, pearson_low, pearson_high, undefined_reason,
    is_nameable, rank_low, rank_high, n_ranked
from rpt_rank_agreement
left join (
    select dataset_id, dimension, judge_id, template, is_nameable, rank_low, rank_high, n_ranked
    from rpt_judge_ranks
    where measure = 'tau_c'
) as ranks using (dataset_id, dimension, judge_id, template)
where {_OF_VIEW}
order by tau_c desc nulls last, judge_id, template""")

# Share of answers per score, unreadable ones as their own row.
score_distribution = query(f"""
select judge_id, template, score_label, score, answer_count, n_answers, share, share_low,
    share_high, n_units
from rpt_score_distribution
where {_OF_VIEW}
order by judge_id, template, score nulls last""")

# Mean score per source of speeches, in the order people give the sources.
source_scores = query(f"""
select judge_id, template, source, mean_score, mean_score_low, mean_score_high, n_items,
    n_answers, n_units, unparsed_count, minus_human, minus_human_low, minus_human_high,
    undefined_reason,
    max(mean_score) filter (where judge_id = 'human') over (partition by source) as human_mean
from rpt_source_scores
where {_OF_VIEW}
order by human_mean desc nulls last, source, judge_id, template""")

# How well a judge's source means go together with people's.
source_agreement = query(f"""
select judge_id, template, pearson, pearson_low, pearson_high, tau_b, tau_b_low, tau_b_high,
    n_sources, n_items, n_units, undefined_reason
from rpt_source_agreement
where {_OF_VIEW}
order by pearson desc nulls last, judge_id, template""")

# The speeches on which each judge is farthest from people, every judge's worst first.
worst_disagreements = query(f"""
select
    disagreement_rank, rpt_item_disagreement.judge_id, rpt_item_disagreement.template,
    rpt_item_disagreement.score, human_mean, human_mean_low, human_mean_high, n_ratings,
    n_answers, score_minus_human, rpt_item_disagreement.source, dim_item.motion,
    rpt_item_disagreement.item_id
from rpt_item_disagreement
inner join dim_item on rpt_item_disagreement.item_id = dim_item.item_id
where rpt_item_disagreement.dataset_id = $dataset
    and dimension = $dimension
    and list_contains($judges, judge_id)
    and list_contains($templates, template)
    and disagreement_rank <= {WORST_PER_JUDGE}
order by disagreement_rank, abs(score_minus_human) desc, judge_id, template""")

# The speech paper's figures beside the warehouse's own.
published_comparison = query("""
select location, statistic, qualifier, published_value, published_text, unit, warehouse_value,
    warehouse_low, warehouse_high, n, agreement_status, note
from rpt_published_comparison
where paper_id = 'debatable_intelligence'
order by
    list_position(
        ['differs', 'contradicted', 'agrees', 'shipped', 'no_data', 'not_published',
            'not_comparable'],
        agreement_status
    ),
    location, statistic, qualifier""")

# One speech with its motion.
item = query("select * from dim_item where item_id = $item")

# Every human score of one speech; `place` stacks equal scores in a chart.
item_ratings = query("""
select annotator_id, value, row_number() over (partition by value order by annotator_id) as place
from fct_rating
where item_id = $item and dimension = $dimension
order by value desc, annotator_id""")

# Every answer of every judge on one speech, those that count first; without the long text.
item_answers = query("""
select response_id, judge_id, template, sample, value, parse_status, parse_reason, request_status,
    is_current, is_stale, run_id, answered_at
from fct_score
where item_id = $item and dimension = $dimension
order by is_current desc, judge_id, template, sample, answered_at""")

# One raw answer, loaded when it is read.
response = query("""
select response_id, run_id, request_id, answer_kind, judge_id, debate_id, item_id, template,
    dimension, sample, response, request_status, error_kind, error_message, finish_reason,
    parse_status, parse_reason, answer_status, model_version, omitted_parameters, answered_at,
    source_file, source_record
from dim_response
where response_id = $response""")

# Tables of the published version, with what they hold.
tables = query("""
select table_name, estimated_size as row_count, column_count, comment
from duckdb_tables()
where schema_name = 'main' and not internal
order by table_name""")

# Columns of one table, with their meaning.
columns = query("""
select column_name, data_type, comment
from duckdb_columns()
where schema_name = 'main' and table_name = $table
order by column_index""")

# Every table with the names of its columns.
column_names = query("""
select table_name, list(column_name order by column_index) as column_names
from duckdb_columns()
where schema_name = 'main' and not internal
group by table_name
order by table_name""")

# The tables that have a column.
having = query("""
select table_name
from duckdb_columns()
where schema_name = 'main' and column_name = $column
order by table_name""")
