select
    metrics.answer_id,
    metrics.dataset_id,
    metrics.question_id,
    metrics.setting_id,
    metrics.condition_id,
    metrics.judge_id,
    metrics.metric,
    metrics.evaluator_id,
    metrics.evaluator_template,
    metrics.evaluator_wording,
    metrics.score,
    case when metrics.score is not null then pooled.pd_sum end as score_sum,
    metrics.score_released,
    pooled.n_partial_answers,
    pooled.n_scored as n_scored_partial_answers,
    metrics.word_count,
    metrics.answer_token_count,
    metrics.reason
from {{ ref('int_answer_metrics') }} as metrics
left join {{ ref('int_likelihoods_pooled') }} as pooled
    using (answer_id, metric, evaluator_id, evaluator_template)
