"""The questions the page on judges' reasons puts to the published marts."""

from dashboard.core.data import Answer, ask, asking, query
from warehouse.reader import Version

# Analyses, those of real data first, then the newest.
analyses = query("""
select
    dim_key_point_analysis.*,
    coalesce(dim_dataset.title, dim_key_point_analysis.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample,
    dim_dimension.scale_min,
    dim_dimension.scale_max
from dim_key_point_analysis
left join dim_dataset using (dataset_id)
left join dim_dimension using (dataset_id, dimension)
order by is_sample, made_at desc, analysis_id""")

# What an analysis covers and leaves out, by judge.
coverage = asking(
    "rpt_key_point_coverage", "judge_id = 'all' desc, judge_id", "analysis_id = $analysis"
)

# How often each judge says each key point, the most frequent first.
key_points = asking(
    "rpt_key_points", "judge_id, polarity desc, polarity_rank", "analysis_id = $analysis"
)

# Whether a judge's reasons speak for each source, beside its scores, the most so first.
polarity = asking(
    "rpt_justification_polarity",
    "positive_share desc nulls last, mean_score desc nulls last, source",
    "analysis_id = $analysis and judge_id = $judge",
)

# What a judge says of each source: the parts that make up the whole.
by_source = asking(
    "rpt_key_point_by_source",
    "source, polarity desc nulls last, polarity_rank nulls last",
    "analysis_id = $analysis and judge_id = $judge and is_drawn",
)


def differences(version: Version, analysis: str, first: str, second: str) -> Answer:
    """How much more often one judge says each key point than another on the same speeches."""
    sql = """
with turned as (
    select
        *,
        judge_a = $first as is_straight,
        case when judge_a = $first then 1 else -1 end as sign
    from rpt_key_point_judges
    where analysis_id = $analysis
        and list_sort([judge_a, judge_b]) = list_sort([$first, $second])
)
select
    key_point_id, polarity, key_point, n_items, n_units,
    case when is_straight then share_a else share_b end as share_first,
    case when is_straight then share_b else share_a end as share_second,
    sign * difference as difference,
    case when is_straight then difference_low else -difference_high end as difference_low,
    case when is_straight then difference_high else -difference_low end as difference_high
from turned
order by abs(difference) desc, key_point_id"""
    return ask(version, sql, analysis=analysis, first=first, second=second)


def sentences(version: Version, analysis: str, judge: str, key_point: str) -> Answer:
    """The sentences under a key point, the most similar first."""
    sql = """
select
    sentences.sentence_id, sentences.request_id, sentences.judge_id, sentences.item_id,
    sentences.source, dim_item.motion, sentences.text, sentences.similarity,
    fct_justification.score
from fct_justification_sentence as sentences
inner join fct_justification using (analysis_id, request_id)
left join dim_item on sentences.item_id = dim_item.item_id
where sentences.analysis_id = $analysis
    and sentences.key_point_id = $point
    and ($judge = 'all' or sentences.judge_id = $judge)
order by sentences.similarity desc, sentences.sentence_id"""
    return ask(version, sql, analysis=analysis, judge=judge, point=key_point)


# The justification a sentence is from, with its speech.
justification = query("""
select
    fct_justification.*, sentences.sentence_id, dim_item.motion, dim_item.text,
    dim_item.word_count as speech_words
from fct_justification_sentence as sentences
inner join fct_justification using (analysis_id, request_id)
left join dim_item on fct_justification.item_id = dim_item.item_id
where sentences.analysis_id = $analysis and sentences.sentence_id = $sentence""")

# The sentences of one justification, and what each is under.
fates = query("""
select
    sentences.position, sentences.text, sentences.polarity, sentences.removal_reason,
    dim_key_point.key_point, sentences.similarity
from fct_justification_sentence as sentences
left join dim_key_point using (analysis_id, key_point_id)
where sentences.analysis_id = $analysis and sentences.request_id = $request
order by sentences.position""")

# What the method is worth on labelled sentences, the held-out half first.
check = asking("rpt_key_point_check", "split = 'test' desc, measure", "analysis_id = $analysis")
