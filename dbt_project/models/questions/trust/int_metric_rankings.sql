{# Correlation of one metric with one person's ranking; scores are turned so that more is better. #}
{% set ranking = [
    'ranking_method', 'scope', 'dataset_id', 'annotator_id', 'ranking_id', 'metric', 'evaluator_id',
    'evaluator_template'
] | join(', ') %}
with

contested as (
    select distinct answer_a as answer_id from {{ ref('int_preferences_current') }}
    union
    select distinct answer_b as answer_id from {{ ref('int_preferences_current') }}
),

metrics as (
    select * from {{ ref('int_answer_metrics') }} semi join contested using (answer_id)
),

oriented as (
    select
        answer_id, setting_id, dataset_id, metric, evaluator_id, evaluator_template,
        {{ better_sign('metric') }} * score as score
    from metrics
    union all
    select
        answer_id, setting_id, dataset_id, metric || '_released' as metric, evaluator_id,
        evaluator_template,
        {{ better_sign('metric') }} * score_released as score
    from metrics
    where score_released is not null
),

scores as (
    select
        'within_question' as scope, dataset_id, answer_id as contestant_id, metric, evaluator_id,
        evaluator_template, round(score, 12) as score
    from oriented
    union all
    select
        'all_questions' as scope, dataset_id, setting_id as contestant_id, metric, evaluator_id,
        evaluator_template, round(avg(score), 12) as score
    from oriented
    group by dataset_id, setting_id, metric, evaluator_id, evaluator_template
),

instruments as (
    select distinct dataset_id, metric, evaluator_id, evaluator_template from scores
),

asked as (
    select strengths.*, instruments.* exclude (dataset_id), scores.score
    from {{ ref('int_preference_strengths') }} as strengths
    inner join instruments using (dataset_id)
    left join scores
        using (scope, dataset_id, contestant_id, metric, evaluator_id, evaluator_template)
),

placed as (
    select
        *,
        {{ mid_rank('strength', ranking) }} as strength_place,
        {{ mid_rank('score', ranking) }} as score_place
    from asked
    where score is not null
),

moments as (
    select
        {{ ranking }},
        count(*) as n_contestants,
        sum(strength_place) as sum_x,
        sum(score_place) as sum_y,
        sum(strength_place ^ 2) as sum_xx,
        sum(score_place ^ 2) as sum_yy,
        sum(strength_place * score_place) as sum_xy,
        count(distinct strength) > 1 and count(distinct score) > 1 as is_varied
    from placed
    group by {{ ranking }}
),

concordances as (
    select
        {% for name in ranking.split(', ') %}
            one.{{ name }},
        {% endfor %}
        sum(sign(one.strength - other.strength) * sign(one.score - other.score)) as concordance,
        count(*) filter (one.strength = other.strength) as tied_x,
        count(*) filter (one.score = other.score) as tied_y
    from placed as one
    inner join placed as other
        on
            one.contestant_id < other.contestant_id
            {% for name in ranking.split(', ') %}
                and one.{{ name }} = other.{{ name }}
            {% endfor %}
    group by all
),

missing as (
    select {{ ranking }}, count(*) - count(score) as missing_count
    from asked
    group by {{ ranking }}
)

select
    missing.*,
    coalesce(moments.n_contestants, 0) as n_contestants,
    {{ pearson_from_sums(
        'moments.n_contestants', 'moments.sum_x', 'moments.sum_y', 'moments.sum_xx', 'moments.sum_yy',
        'moments.sum_xy', 'moments.is_varied'
    ) }} as spearman,
    {{ tau_b(
        'concordances.concordance', 'moments.n_contestants', 'concordances.tied_x', 'concordances.tied_y'
    ) }} as kendall
from missing
left join moments using ({{ ranking }})
left join concordances using ({{ ranking }})
