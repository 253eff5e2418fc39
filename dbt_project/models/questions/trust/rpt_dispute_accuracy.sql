{#
An answer adds its share of judgements 1, so with one judgement per answer the figures are
scikit-learn's. Answers to one question are left out together.
#}
{%- set measures = ['accuracy', 'f1', 'auroc', 'mcc', 'gain'] -%}
{%- set cells = ['tp', 'fn', 'fp', 'tn'] %}
{%- set instrument = 'dataset_id, evaluator_id, evaluator_template' %}
with

judged as (
    select
        metrics.dataset_id,
        metrics.question_id,
        metrics.evaluator_id,
        metrics.evaluator_template,
        metrics.evaluator_wording,
        labels.label,
        metrics.score,
        metrics.score_released,
        metrics.reason
    from {{ ref('int_answer_metrics') }} as metrics
    inner join {{ ref('int_dispute_labels') }} as labels using (answer_id)
    where metrics.metric = {{ dispute_awareness() }}
),

questions as (
    select
        {{ instrument }},
        question_id,
        {% for suffix in ['', '_released'] %}
            {% for cell, label, share in [
                ('tp', 1, 'score'), ('fn', 1, '1 - score'), ('fp', 0, 'score'), ('tn', 0, '1 - score')
            ] %}
                coalesce(
                    sum({{ share | replace('score', 'score' ~ suffix) }})
                    filter (label = {{ label }}),
                    0
                ) as {{ cell }}{{ suffix }},
            {% endfor %}
        {% endfor %}
        any_value(evaluator_wording) as evaluator_wording,
        count(*) as n_labelled,
        count(*) filter (label is null) as label_tie_count,
        count(score) filter (label is not null) as n_answers,
        count(*) filter (label is not null and score is null and reason = 'not_scored')
            as not_scored_count,
        count(*) filter (label is not null and score is null and reason != 'not_scored')
            as failed_count,
        count(*) filter (label = 1 and score is not null) as positive_count
    from judged
    group by {{ instrument }}, question_id
),

totals as (
    select
        {{ instrument }},
        any_value(evaluator_wording) as evaluator_wording,
        count(*) filter (n_answers > 0) as n_clusters,
        {% for name in [
            'n_labelled', 'label_tie_count', 'n_answers', 'not_scored_count', 'failed_count',
            'positive_count'
        ] %}
            sum({{ name }})::bigint as {{ name }},
        {% endfor %}
    {% for suffix in ['', '_released'] %}
    {% for cell in cells %}
        sum({{ cell }}{{ suffix }})
            as {{ cell }}{{ suffix }}{{ ',' if not (loop.last and suffix) }}
    {% endfor %}
    {% endfor %}
    from questions
    group by {{ instrument }}
),

replicates as (
    select
        {% for name in instrument.split(', ') %}
            questions.{{ name }},
        {% endfor %}
    {% for measure in measures %}
            {{ dispute_measure(measure, [
                '(totals.tp - questions.tp)', '(totals.fn - questions.fn)',
                '(totals.fp - questions.fp)', '(totals.tn - questions.tn)'
            ]) }} as {{ measure }}{{ ',' if not loop.last }}
    {% endfor %}
    from questions
    inner join totals using ({{ instrument }})
    where questions.n_answers > 0
),

spreads as (
    select
        {{ instrument }},
    {% for measure in measures %}
        {{ alike_half_width(measure, '1') }} as {{ measure }}_half{{ ',' if not loop.last }}
    {% endfor %}
    from replicates
    group by {{ instrument }}
),

estimates as (
    select
        *,
        {% for measure in measures %}
            {{ dispute_measure(measure, cells) }} as {{ measure }},
            {{ dispute_measure(
                measure, ['tp_released', 'fn_released', 'fp_released', 'tn_released']
            ) }}
                as {{ measure }}_released,
        {% endfor %}
        greatest(positive_count, n_answers - positive_count) / nullif(n_answers, 0)
            as baseline_accuracy,
        2.0 * positive_count / nullif(n_answers + positive_count, 0) as baseline_f1
    from totals
)

select
    estimates.dataset_id,
    estimates.evaluator_id,
    estimates.evaluator_template,
    estimates.evaluator_wording,
    estimates.n_labelled,
    estimates.label_tie_count,
    estimates.not_scored_count,
    estimates.failed_count,
    estimates.n_answers,
    estimates.n_clusters as n_questions,
    estimates.positive_count,
    {% for cell in cells %}
        estimates.{{ cell }},
    {% endfor %}
    {% for measure in measures %}
        estimates.{{ measure }},
        {% for end, sign in [('low', -1), ('high', 1)] %}
            {% if measure == 'accuracy' -%}
                {{ clustered_share_bound(
                    'estimates.accuracy', 'spreads.accuracy_half', 'estimates.n_clusters', sign
                ) }}
            {%- else -%}
                {{ clip(
                    'estimates.' ~ measure ~ ' + ' ~ sign ~ ' * spreads.' ~ measure ~ '_half',
                    -1 if measure in ['mcc', 'gain'] else 0, 1
                ) }}
            {%- endif %} as {{ measure }}_{{ end }},
        {% endfor %}
    {% endfor %}
    (estimates.tp + estimates.tn) / nullif(estimates.n_answers + estimates.failed_count, 0)
        as accuracy_all_wrong,
    (estimates.tp + estimates.tn + estimates.failed_count)
    / nullif(estimates.n_answers + estimates.failed_count, 0) as accuracy_all_right,
    estimates.baseline_accuracy,
    estimates.baseline_f1,
    {% for measure in ['accuracy', 'f1', 'auroc', 'mcc'] %}
        estimates.{{ measure }}_released,
    {% endfor %}
    case
        when estimates.mcc is null and estimates.n_answers > 0 then 'one class only'
        when estimates.mcc is null then 'no labelled answer is scored'
    end as mcc_reason,
    case
        when estimates.auroc is null and estimates.n_answers > 0 then 'people know one class only'
        when estimates.auroc is null then 'no labelled answer is scored'
    end as auroc_reason,
    case
        when estimates.n_answers = 0 then 'no labelled answer is scored'
        {{ when_too_few('estimates.n_clusters', 'questions') }}
    end as reason
from estimates
left join spreads using ({{ instrument }})
