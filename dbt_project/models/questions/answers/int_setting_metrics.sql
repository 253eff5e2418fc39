{% set reasons = {
    'unanswered_count': "('unanswered')",
    'empty_count': "('empty_answer')",
    'overflow_count': "('context_overflow')",
    'unparsed_count': "('unparsed', 'refused', 'filtered', 'truncated')",
    'not_finite_count': "('not_finite')",
    'no_partial_answers_count': "('no_partial_answers')",
    'not_scored_count': "('not_scored', 'stale')",
} %}
with

counted as (
    select
        setting_id,
        condition_id,
        metric,
        evaluator_id,
        evaluator_template,
        any_value(evaluator_wording) as evaluator_wording,
        count(*) as n_answers,
        count(score) as n_scored,
        {% for name, words in reasons.items() %}
            count(*) filter (reason in {{ words }}) as {{ name }},
        {% endfor %}
        count(reason)
        {% for name in reasons %}
            - {{ name }}
        {% endfor %}
            as other_count
    from {{ ref('int_answer_metrics') }}
    group by setting_id, condition_id, metric, evaluator_id, evaluator_template
),

measured as (
    select
        setting_id,
        metric,
        evaluator_id,
        evaluator_template,
        count(score) as n_questions,
        avg(score) as score,
        sqrt(var_samp(score) / count(score)) as standard_error,
        avg(score_released) as score_released,
        avg(score_if_0) as score_if_0,
        avg(score_if_1) as score_if_1,
        avg(pd_sum) as score_sum,
        avg(n_partial_answers) as mean_partial_answers,
        avg(word_count) as mean_word_count,
        avg(log2_words) as mean_log2_words,
        avg(answer_token_count) as mean_answer_tokens
    from {{ ref('int_question_metrics') }}
    group by setting_id, metric, evaluator_id, evaluator_template
),

-- Questions that every setting compared has a score on; one without any score is not compared.
compared as (
    select
        condition_id, metric, evaluator_id, evaluator_template,
        count(distinct setting_id) as n_settings
    from {{ ref('int_question_metrics') }}
    where score is not null
    group by all
),

shared_questions as (
    select condition_id, metric, evaluator_id, evaluator_template, question_id
    from {{ ref('int_question_metrics') }}
    inner join compared using (condition_id, metric, evaluator_id, evaluator_template)
    where score is not null
    group by all
    having count(distinct setting_id) = any_value(n_settings)
),

measured_shared as (
    select
        setting_id,
        metric,
        evaluator_id,
        evaluator_template,
        count(score) as n_questions_shared,
        avg(score) as score_shared,
        student_t_quantile(0.975::double, (count(score) - 1)::double)
        * sqrt(var_samp(score) / count(score)) as half_width_shared
    from {{ ref('int_question_metrics') }}
    inner join shared_questions
        using (condition_id, metric, evaluator_id, evaluator_template, question_id)
    group by setting_id, metric, evaluator_id, evaluator_template
)

select
    counted.*,
    measured.* exclude (setting_id, metric, evaluator_id, evaluator_template),
    coalesce(measured_shared.n_questions_shared, 0) as n_questions_shared,
    measured_shared.score_shared,
    measured_shared.half_width_shared,
    student_t_quantile(0.975::double, (measured.n_questions - 1)::double) * measured.standard_error
        as half_width
from counted
inner join measured using (setting_id, metric, evaluator_id, evaluator_template)
left join measured_shared using (setting_id, metric, evaluator_id, evaluator_template)
