select
    metrics.* exclude (sample),
    case when metrics.score is not null then pooled.pd_sum end as score_sum,
    pooled.n_partial_answers,
    pooled.n_scored as n_scored_partial_answers
from {{ ref('int_answer_metrics') }} as metrics
left join {{ ref('int_likelihoods_pooled') }} as pooled
    using (answer_id, metric, evaluator_id, evaluator_template)
