{# Samples of a setting are averaged first: the question is the unit. #}
with

found as (
    select
        answer_id,
        {{ perspective_diversity() }} as metric,
        evaluator_id,
        evaluator_template,
        pd_sum,
        n_partial_answers, logprob_mean, logprob_per_token_mean, tokens_mean
    from {{ ref('int_perspective_diversity') }}
    where reason is null
)

select
    metrics.dataset_id,
    metrics.setting_id,
    metrics.condition_id,
    metrics.judge_id,
    metrics.question_id,
    metrics.metric,
    metrics.evaluator_id,
    metrics.evaluator_template,
    count(*) as n_answers,
    count(metrics.score) as n_scored,
    avg(metrics.score) as score,
    avg(metrics.score_released) as score_released,
    -- A judge that could not be read may have meant either.
    avg(case
        when metrics.reason in ('unanswered', 'not_scored', 'stale') then null
        else coalesce(metrics.score, 0)
    end) as score_if_0,
    avg(case
        when metrics.reason in ('unanswered', 'not_scored', 'stale') then null
        else coalesce(metrics.score, 1)
    end) as score_if_1,
    avg(metrics.word_count) filter (metrics.score is not null) as word_count,
    avg(ln(nullif(metrics.word_count, 0)) / ln(2)) filter (metrics.score is not null) as log2_words,
    avg(metrics.answer_token_count) filter (metrics.score is not null) as answer_token_count,
    avg(found.pd_sum) filter (metrics.score is not null) as pd_sum,
    avg(found.n_partial_answers) filter (metrics.score is not null) as n_partial_answers,
    avg(found.logprob_mean) filter (metrics.score is not null) as logprob_mean,
    avg(found.logprob_per_token_mean) filter (metrics.score is not null) as logprob_per_token_mean,
    avg(found.tokens_mean) filter (metrics.score is not null) as tokens_mean
from {{ ref('int_answer_metrics') }} as metrics
left join found using (answer_id, metric, evaluator_id, evaluator_template)
group by
    metrics.dataset_id, metrics.setting_id, metrics.condition_id, metrics.judge_id,
    metrics.question_id, metrics.metric, metrics.evaluator_id, metrics.evaluator_template
