select
    dataset_id,
    question_id,
    answer_id,
    evaluator_id,
    evaluator_template,
    evaluator_wording,
    n_partial_answers,
    n_scored,
    stale_count,
    answer_token_count,
    pd_mean,
    pd_sum,
    pd_released,
    logprob_mean,
    logprob_per_token_mean,
    tokens_mean,
    reason
from {{ ref('int_likelihoods_pooled') }}
where metric = {{ perspective_diversity() }}
