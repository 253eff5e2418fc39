{#
How much more probable an evaluator finds a question's perspectives after one model's answer than
after that of the model with the worst P.D. asked alike, on the questions both answered (appendix H).
#}
with

ranked as (
    select
        measured.setting_id,
        answers.judge_id,
        measured.evaluator_id,
        measured.evaluator_template,
        first_value(measured.setting_id) over worst as reference_id,
        first_value(answers.judge_id) over worst as reference_judge_id
    from {{ ref('int_setting_metrics') }} as measured
    inner join
        (select distinct setting_id, judge_id from {{ ref('int_answers_current') }}) as answers
        using (setting_id)
    where measured.metric = {{ perspective_diversity() }} and measured.score is not null
    window worst as (
        partition by measured.condition_id, measured.evaluator_id, measured.evaluator_template
        order by measured.score desc, answers.judge_id asc
    )
),

questions as (
    select * from {{ ref('int_question_metrics') }}
    where metric = {{ perspective_diversity() }} and score is not null
),

shared as (
    select
        ranked.setting_id,
        ranked.evaluator_id,
        ranked.evaluator_template,
        any_value(ranked.reference_judge_id) as reference_judge_id,
        count(*) as n_shared_questions,
        avg(mine.n_partial_answers) as n_partial_answers,
        avg(mine.tokens_mean) as tokens_per_partial_answer,
        avg(mine.pd_sum - theirs.pd_sum) as sum_difference,
        avg(mine.score - theirs.score) as mean_difference,
        avg(mine.logprob_mean - theirs.logprob_mean) as log_ratio,
        avg(mine.logprob_per_token_mean - theirs.logprob_per_token_mean) as log_ratio_per_token,
        var_samp(mine.logprob_per_token_mean - theirs.logprob_per_token_mean) / count(*) as variance
    from ranked
    inner join questions as mine using (setting_id, evaluator_id, evaluator_template)
    inner join questions as theirs
        on
            ranked.reference_id = theirs.setting_id
            and mine.question_id = theirs.question_id
            and mine.evaluator_id = theirs.evaluator_id
            and mine.evaluator_template = theirs.evaluator_template
    group by ranked.setting_id, ranked.evaluator_id, ranked.evaluator_template
)

select
    setting_id,
    evaluator_id,
    evaluator_template,
    reference_judge_id,
    n_shared_questions,
    n_partial_answers,
    tokens_per_partial_answer,
    exp(-sum_difference / n_partial_answers) as probability_ratio_paper,
    exp(-mean_difference / n_partial_answers) as probability_ratio_paper_of_means,
    tokens_per_partial_answer * (0 - sum_difference) / n_partial_answers / ln(10)
        as log10_probability_ratio_with_factor,
    exp(log_ratio_per_token) as probability_ratio_per_token,
    exp(log_ratio_per_token - {{ clustered_half_width('variance', 'n_shared_questions') }})
        as probability_ratio_per_token_low,
    exp(log_ratio_per_token + {{ clustered_half_width('variance', 'n_shared_questions') }})
        as probability_ratio_per_token_high,
    log_ratio / ln(10) as log10_probability_ratio
from shared
