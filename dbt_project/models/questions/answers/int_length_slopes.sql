{#
How P.D. moves with the length of one model's answers to one and the same question: each answer is
compared with the mean of that question's answers, so neither models nor questions are pooled.
#}
{% set grain = ['dataset_id', 'split', 'judge_id', 'evaluator_id', 'evaluator_template'] %}
with

answers as (
    select
        metrics.dataset_id,
        settings.split,
        metrics.judge_id,
        metrics.question_id,
        metrics.evaluator_id,
        metrics.evaluator_template,
        metrics.score,
        ln(metrics.word_count) / ln(2) as log2_words
    from {{ ref('int_answer_metrics') }} as metrics
    inner join (select distinct setting_id, split from {{ ref('int_answers_current') }}) as settings
        using (setting_id)
    where
        metrics.metric = {{ perspective_diversity() }}
        and metrics.score is not null
        and metrics.word_count > 0
),

-- A model's answers about one question and evaluator, which is what is held fixed.
centred as (
    select
        *,
        log2_words - avg(log2_words) over alike as x,
        score - avg(score) over alike as y
    from answers
    window alike as (
        partition by dataset_id, split, judge_id, question_id, evaluator_id, evaluator_template
    )
),

slopes as (
    select
        {{ grain | join(', ') }},
        min(log2_words) as shortest,
        max(log2_words) as longest,
        sum(x * x) as sum_xx,
        case when sum(x * x) > 1e-9 then sum(x * y) / sum(x * x) end as slope
    from centred
    group by {{ grain | join(', ') }}
),

influences as (
    select
        centred.dataset_id,
        centred.split,
        centred.judge_id,
        centred.evaluator_id,
        centred.evaluator_template,
        centred.question_id,
        sum(centred.x * (centred.y - slopes.slope * centred.x))
        / any_value(slopes.sum_xx) as influence
    from centred
    inner join slopes on {{ alike('centred', 'slopes', grain) }}
    where slopes.slope is not null
    group by all
    having sum(centred.x * centred.x) > 1e-9
),

spreads as (
    select
        {{ grain | join(', ') }},
        count(*) as n_questions,
        count(*) / nullif(count(*) - 1.0, 0) * sum(influence ^ 2) as variance,
        list({ question_id: question_id, influence: influence } order by question_id) as influences
    from influences
    group by {{ grain | join(', ') }}
)

select
    slopes.* exclude (sum_xx),
    coalesce(spreads.n_questions, 0) as n_questions,
    {{ clustered_half_width('spreads.variance', 'spreads.n_questions') }} as half_width,
    spreads.influences
from slopes
left join spreads on {{ alike('slopes', 'spreads', grain) }}
