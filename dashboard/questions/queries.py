"""The questions the page about debatable questions puts to the published marts."""

from dataclasses import dataclass
from typing import Any

from dashboard.core.data import Answer, Chosen, ask, query
from warehouse.reader import Version


@dataclass(frozen=True)
class Field(Chosen):
    """Models asked alike, and who evaluated them.

    Attributes:
        dataset_id: Data set of the questions.
        condition_id: How the models were asked, whoever answered.
        is_published: Whether these are the scores a paper prints.
        pd_evaluator: Evaluator of P.D.; empty where there is none.
        pd_template: Its wording.
        da_evaluator: Evaluator of D.A.; empty where there is none.
        da_template: Its prompt.
        ground: Whether models are compared on the questions that all of them have a score on
            (`shared`), or each on its own (`each`).
    """

    dataset_id: str
    condition_id: str
    is_published: bool
    pd_evaluator: str
    pd_template: str
    da_evaluator: str
    da_template: str
    ground: str

    @property
    def parameters(self) -> dict[str, Any]:
        """Values for the placeholders that most queries share."""
        return {**super().parameters, "origin": "published" if self.is_published else "own"}


_OF_PAIR = """origin = $origin
    and ground = $ground
    and condition_id = $condition
    and pd_evaluator_id = $pd_evaluator
    and pd_evaluator_template = $pd_template
    and da_evaluator_id = $da_evaluator
    and da_evaluator_template = $da_template"""

# What can be chosen: data set, way of asking, evaluators; the default first.
# Real data sets come before samples, and a paper's printed scores last; of these the two
# evaluators first that give its Figure 3.
choices = query("""
with asked as (
    select
        dataset_id, condition_id, false as is_published, split, template, temperature, top_p,
        target_tokens, retrieval, is_trusted_only, retriever, metric, evaluator_id,
        evaluator_template, count(score) as model_count, count(distinct score) as score_count
    from rpt_debateqa_leaderboard
    group by all
    union all by name
    select distinct
        dataset_id, condition_id, true as is_published,
        unnest(['perspective_diversity', 'dispute_awareness']) as metric,
        unnest([pd_evaluator_id, da_evaluator_id]) as evaluator_id,
        unnest([pd_evaluator_template, da_evaluator_template]) as evaluator_template,
        n_models as model_count, n_models as score_count
    from rpt_debateqa_weighted_rank
    where origin = 'published'
)
select
    asked.*,
    coalesce(dim_dataset.title, asked.dataset_id) as title,
    coalesce(dim_dataset.is_sample, false) as is_sample
from asked
left join dim_dataset using (dataset_id)
order by
    is_published, is_sample, dataset_id,
    max(model_count) over (partition by dataset_id, condition_id) desc,
    target_tokens is not null, retrieval <> 'none', template, condition_id, metric,
    evaluator_template not in ('pd_restate', 'dispute_awareness'), model_count desc,
    score_count desc,
    evaluator_id not in ('Qwen2 0.5B', 'Phi-3 medium 128k'), evaluator_id, evaluator_template""")

# The data sets whose questions models have answered, with how many did.
unread = query("""
select dataset_id, count(*) as n_answers, count(distinct judge_id) as n_models
from dim_answer
group by dataset_id
order by n_answers desc, dataset_id""")


def scores(version: Version, field: Field, k: float) -> Answer:
    """Every model of the field by both metrics, and its place at weight k; the best first."""
    sql = _PRINTED if field.is_published else _OWN
    return ask(version, sql, **field.parameters, k=k)


_OWN = f"""
with board as (
    select * replace (
        if($ground = 'shared', score_shared, score) as score,
        if($ground = 'shared', score_shared_low, score_low) as score_low,
        if($ground = 'shared', score_shared_high, score_high) as score_high,
        if($ground = 'shared', place_shared, place) as place,
        if($ground = 'shared', place_shared_label, place_label) as place_label,
        if($ground = 'shared', n_questions_shared, n_questions) as n_questions,
        if(
            $ground = 'shared' and n_questions_shared = 0 and n_questions > 0,
            'no question has a score of every model', reason
        ) as reason
    )
    from rpt_debateqa_leaderboard
),
diverse as (
    select * from board
    where condition_id = $condition and metric = 'perspective_diversity'
        and evaluator_id = $pd_evaluator and evaluator_template = $pd_template
),
aware as (
    select * from board
    where condition_id = $condition and metric = 'dispute_awareness'
        and evaluator_id = $da_evaluator and evaluator_template = $da_template
),
diverse_ranks as (
    select * from rpt_judge_ranks
    where variant_id = $condition and measure = 'perspective_diversity'
        and evaluator_id = $pd_evaluator and evaluator_template = $pd_template
),
aware_ranks as (
    select * from rpt_judge_ranks
    where variant_id = $condition and measure = 'dispute_awareness'
        and evaluator_id = $da_evaluator and evaluator_template = $da_template
),
weighted as (
    select judge_id, score, place, place_label, reason
    from rpt_debateqa_weighted_rank
    where {_OF_PAIR}
    and abs(k - $k) < 0.001
)
select
    judge_id,
    weighted.score,
    weighted.place,
    weighted.place_label,
    weighted.reason,
    diverse.score as pd_score,
    diverse.score_low as pd_low,
    diverse.score_high as pd_high,
    diverse.place_label as pd_place,
    diverse_ranks.rank_low as pd_rank_low,
    diverse_ranks.rank_high as pd_rank_high,
    diverse_ranks.n_ranked as pd_n_ranked,
    diverse.norm_place_label as pd_norm_place,
    diverse.n_evaluators as pd_n_evaluators,
    diverse.n_questions as pd_n_questions,
    diverse.n_answers as pd_n_answers,
    1 - diverse.n_scored / nullif(diverse.n_answers, 0) as pd_unscored_share,
    diverse.reason as pd_reason,
    diverse.score_sum as pd_sum,
    diverse.score_released as pd_released,
    diverse.mean_answer_tokens,
    diverse.length_slope,
    diverse.length_slope_low,
    diverse.length_slope_high,
    diverse.n_slope_questions,
    diverse.reference_word_count,
    diverse.score_adjusted,
    diverse.score_adjusted_low,
    diverse.score_adjusted_high,
    diverse.length_reason,
    diverse.reference_judge_id,
    diverse.n_shared_questions,
    diverse.tokens_per_partial_answer,
    diverse.probability_ratio_paper,
    diverse.probability_ratio_paper_of_means,
    diverse.probability_ratio_per_token,
    diverse.probability_ratio_per_token_low,
    diverse.probability_ratio_per_token_high,
    diverse.log10_probability_ratio,
    diverse.log10_probability_ratio_with_factor,
    aware.score as da_score,
    aware.score_low as da_low,
    aware.score_high as da_high,
    aware.score_all_0 as da_all_0,
    aware.score_all_1 as da_all_1,
    aware.place_label as da_place,
    aware_ranks.rank_low as da_rank_low,
    aware_ranks.rank_high as da_rank_high,
    aware_ranks.n_ranked as da_n_ranked,
    aware.norm_place_label as da_norm_place,
    aware.n_evaluators as da_n_evaluators,
    aware.n_questions as da_n_questions,
    aware.n_answers as da_n_answers,
    aware.unparsed_count as da_unparsed_count,
    1 - aware.n_scored / nullif(aware.n_answers, 0) as da_unscored_share,
    aware.reason as da_reason,
    aware.score_released as da_released,
    coalesce(diverse.mean_word_count, aware.mean_word_count) as mean_word_count
from diverse
full join aware using (judge_id)
left join weighted using (judge_id)
left join diverse_ranks using (judge_id)
left join aware_ranks using (judge_id)
order by weighted.place nulls last, diverse.place nulls last, aware.place nulls last, judge_id"""
# Printed scores stand in one table only, without intervals and n.
_PRINTED = f"""
with pair as (
    select * from rpt_debateqa_weighted_rank
    where {_OF_PAIR}
)
select
    pair.judge_id,
    pair.score,
    pair.place,
    pair.place_label,
    pair.reason,
    pair.pd_score,
    pair.mean_answer_tokens,
    pair.da_score,
    by_pd.place_label as pd_place,
    by_da.place_label as da_place
from pair
inner join pair as by_pd on pair.judge_id = by_pd.judge_id and by_pd.k = 1
inner join pair as by_da on pair.judge_id = by_da.judge_id and by_da.k = 0
where abs(pair.k - $k) < 0.001
order by pair.place nulls last, pair.judge_id"""

# The place of every model at every weight.
places = query(f"""
select judge_id, k, score, place, place_label, n_models
from rpt_debateqa_weighted_rank
where {_OF_PAIR}
    and place is not null
order by k, place, judge_id""")

# P.D. and length of every model however it was asked, and the line of its own slope.
# The line passes through the model's P.D. at equal length and spans what its answers span on
# average, or one doubling at least.
lengths = query("""
with here as (
    select any_value(dataset_id) as dataset_id, any_value(split) as split
    from rpt_debateqa_leaderboard
    where condition_id = $condition
),
settings as (
    select
        rpt_debateqa_leaderboard.*,
        condition_id = $condition as is_here,
        coalesce(if(score_adjusted is null, null, reference_word_count), mean_word_count)
            as through_words,
        coalesce(score_adjusted, score) as through_score,
        least(min(mean_word_count) over (partition by judge_id), mean_word_count / sqrt(2))
            as words_from,
        greatest(max(mean_word_count) over (partition by judge_id), mean_word_count * sqrt(2))
            as words_to
    from rpt_debateqa_leaderboard
    inner join here
        on rpt_debateqa_leaderboard.dataset_id = here.dataset_id
        and rpt_debateqa_leaderboard.split is not distinct from here.split
    where metric = 'perspective_diversity'
        and evaluator_id = $pd_evaluator
        and evaluator_template = $pd_template
        and score is not null
        and mean_word_count > 0
)
select
    judge_id, setting_id, is_here, split, template, temperature, top_p, target_tokens, retrieval,
    is_trusted_only, retriever, n_questions, score, score_low, score_high, mean_word_count,
    mean_answer_tokens, length_slope, length_slope_low, length_slope_high, n_slope_questions,
    words_from, through_score + length_slope * log2(words_from / through_words) as line_from,
    words_to, through_score + length_slope * log2(words_to / through_words) as line_to
from settings
order by is_here desc, score, judge_id, setting_id""")

# Pairs of ways of asking that differ in one thing only, the largest differences first.
effects = query("""
with here as (
    select any_value(dataset_id) as dataset_id, any_value(split) as split
    from rpt_debateqa_leaderboard
    where condition_id = $condition
)
select rpt_answer_effects.*
from rpt_answer_effects
inner join here
    on rpt_answer_effects.dataset_id = here.dataset_id
    and rpt_answer_effects.split is not distinct from here.split
where (
        metric = 'perspective_diversity'
        and evaluator_id = $pd_evaluator
        and evaluator_template = $pd_template
    ) or (
        metric = 'dispute_awareness'
        and evaluator_id = $da_evaluator
        and evaluator_template = $da_template
    )
order by metric desc, abs(difference) desc, judge_id, factor, level_a, level_b, experiment""")
