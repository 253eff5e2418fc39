{#
The paper counts an answer as having a viewpoint that the data set lacks where the judge gives it the
highest score, 5, and checked those by hand. Repeats of a judgement must all give it.
#}
with

answers as (
    select * from {{ ref('int_answer_metrics') }} where metric = 'missing_viewpoints'
),

questions as (
    select
        setting_id,
        evaluator_id,
        evaluator_template,
        question_id,
        count(*) as n_answers,
        count(score) as n_scored,
        count(*) filter (score = 5) as n_missing,
        avg((score = 5)::integer) as share,
        avg(score) as score
    from answers
    group by setting_id, evaluator_id, evaluator_template, question_id
),

measured as (
    select
        setting_id,
        evaluator_id,
        evaluator_template,
        count(share) as n_questions,
        sum(n_answers)::bigint as n_answers,
        sum(n_scored)::bigint as n_scored,
        sum(n_missing)::bigint as n_missing,
        avg(share) as share,
        student_t_quantile(0.975::double, (count(share) - 1)::double)
        * sqrt(var_samp(share) / count(share)) as half_width,
        avg(score) as mean_score
    from questions
    group by setting_id, evaluator_id, evaluator_template
)

select
    measured.* exclude (n_missing, share, half_width),
    settings.condition_id,
    settings.dataset_id,
    settings.split,
    settings.judge_id,
    settings.template,
    measured.n_missing as missing_count,
    measured.share as missing_share,
    {{ share_ends(
        'measured.share', spread('measured.half_width'), 'measured.n_questions', 'missing_share'
    ) }},
    case
        when measured.share is null then 'no scored answer'
        {{ when_too_few('measured.n_questions', 'questions') }}
    end as reason
from measured
inner join {{ ref('dim_answer_setting') }} as settings using (setting_id)
