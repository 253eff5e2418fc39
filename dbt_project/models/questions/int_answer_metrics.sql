{#
Every answer of a setting has a row for every evaluator that scored any answer of that setting, so that
what an evaluator has no figure for is counted and never silently missing.
#}
with

answers as (
    select * from {{ ref('int_answers_current') }} where is_current and not is_stale
),

compared as (select distinct question_id from {{ loaded('partial_answers') }}),

figures as (
    select
        answer_id, metric, evaluator_id, evaluator_template, evaluator_wording,
        true as is_comparison,
        coalesce(pd_mean, value_mean) as score,
        pd_released as score_released,
        answer_token_count,
        reason
    from {{ ref('int_likelihoods_pooled') }}
    union all
    select
        answer_id, metric, evaluator_id, evaluator_template, evaluator_wording, false, score,
        score_released, null::bigint as answer_token_count, reason
    from {{ ref('int_dispute_scores') }}
),

instruments as (
    select
        answers.setting_id,
        figures.metric,
        figures.evaluator_id,
        figures.evaluator_template,
        min(figures.evaluator_wording) as evaluator_wording,
        bool_or(figures.is_comparison) as is_comparison
    from figures
    inner join answers using (answer_id)
    group by answers.setting_id, figures.metric, figures.evaluator_id, figures.evaluator_template
),

-- Whatever an evaluator says of an answer that is not there is no figure of it.
read as (
    select
        answers.answer_id,
        answers.dataset_id,
        answers.question_id,
        answers.setting_id,
        answers.condition_id,
        answers.judge_id,
        answers.sample,
        answers.word_count,
        instruments.* exclude (setting_id, is_comparison),
        figures.score,
        figures.score_released,
        figures.answer_token_count,
        case
            when answers.request_status != 'answered' then 'unanswered'
            when answers.parse_status != 'parsed' then 'empty_answer'
            -- Where there is nothing to compare with, no comparison will ever come.
            when
                figures.answer_id is null and instruments.is_comparison
                and compared.question_id is null
                then 'no_partial_answers'
            when figures.answer_id is null then 'not_scored'
            else figures.reason
        end as reason
    from answers
    inner join instruments using (setting_id)
    left join compared using (question_id)
    left join figures
        on
            answers.answer_id = figures.answer_id
            and instruments.metric = figures.metric
            and instruments.evaluator_id = figures.evaluator_id
            and instruments.evaluator_template = figures.evaluator_template
)

select
    * replace (
        case when reason is null then score end as score,
        case when reason is null then score_released end as score_released
    )
from read
