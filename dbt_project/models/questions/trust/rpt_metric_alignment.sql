{#
A person's mean over questions comes first and the mean of people second, so that somebody who ranked
more questions does not count for more. The interval takes the question as the unit, whoever ranked it.
#}
{% set group = [
    'ranking_method', 'scope', 'dataset_id', 'metric', 'evaluator_id', 'evaluator_template'
] | join(', ') %}
with

rankings as (select * from {{ ref('int_metric_rankings') }}),

wordings as (
    select dataset_id, evaluator_id, evaluator_template, min(evaluator_wording) as evaluator_wording
    from {{ ref('int_answer_metrics') }}
    group by dataset_id, evaluator_id, evaluator_template
),

people as (
    select
        {{ group }},
        annotator_id,
        count(spearman) as n_defined,
        avg(spearman) as spearman,
        avg(kendall) as kendall
    from rankings
    group by {{ group }}, annotator_id
),

means as (
    select
        {{ group }},
        count(spearman) as n_annotators,
        avg(spearman) as spearman,
        avg(kendall) as kendall
    from people
    group by {{ group }}
),

-- What each question adds to the error of the mean of the people's means.
influences as (
    select
        {{ group }},
        rankings.ranking_id,
        sum((rankings.spearman - people.spearman) / people.n_defined) as spearman_influence,
        sum((rankings.kendall - people.kendall) / people.n_defined) as kendall_influence
    from rankings
    inner join people using ({{ group }}, annotator_id)
    where rankings.spearman is not null
    group by {{ group }}, rankings.ranking_id
),

spreads as (
    select
        {{ group }},
        count(*) as n_questions,
        count(*) / nullif(count(*) - 1.0, 0) * sum(spearman_influence ^ 2) as spearman_variance,
        count(*) / nullif(count(*) - 1.0, 0) * sum(kendall_influence ^ 2) as kendall_variance
    from influences
    group by {{ group }}
),

counts as (
    select
        {{ group }},
        count(*) as n_rankings,
        count(*) - count(spearman) as n_undefined,
        sum(n_contestants)::bigint as n_contestants,
        sum(missing_count)::bigint as missing_count
    from rankings
    group by {{ group }}
),

-- A mean of people's means has the error of their sum over their number.
halved as (
    select
        counts.*,
        coalesce(spreads.n_questions, 0) as n_questions,
        means.n_annotators,
        means.spearman,
        means.kendall,
    {% for measure in ['spearman', 'kendall'] %}
        case
            when scope = 'within_question'
                then
                    {{ clustered_half_width(
                        'spreads.' ~ measure ~ '_variance', 'spreads.n_questions'
                    ) }}
                    / means.n_annotators
        end as {{ measure }}_half{{ ',' if not loop.last }}
    {% endfor %}
    from counts
    inner join means using ({{ group }})
    left join spreads using ({{ group }})
)

select
    halved.* exclude (n_questions, spearman, kendall, spearman_half, kendall_half),
    wordings.evaluator_wording,
    case when scope = 'within_question' then n_questions end as n_questions,
    {% for measure in ['spearman', 'kendall'] %}
        halved.{{ measure }},
        {{ clip('halved.' ~ measure ~ ' - halved.' ~ measure ~ '_half', -1, 1) }}
            as {{ measure }}_low,
        {{ clip('halved.' ~ measure ~ ' + halved.' ~ measure ~ '_half', -1, 1) }}
            as {{ measure }}_high,
    {% endfor %}
    case
        when spearman is null then 'no ranking without all tied'
        when scope = 'all_questions' then 'one ranking per person: no interval by question'
        {{ when_too_few('n_questions', 'questions') }}
        when spearman_half is null then 'every question has the same correlation'
    end as reason
from halved
left join wordings using (dataset_id, evaluator_id, evaluator_template)
