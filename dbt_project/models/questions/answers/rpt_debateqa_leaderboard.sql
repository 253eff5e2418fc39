{#
Models are ranked with those asked alike: the same questions' set, prompt, decoding and retrieval. A
place over several evaluators needs a place from each of them.
#}
{%- set ranking = 'condition_id, metric, evaluator_id, evaluator_template' %}
with

measured as (
    select * from {{ ref('int_setting_metrics') }}
    where metric in ({{ perspective_diversity() }}, {{ dispute_awareness() }})
),

settings as (select * exclude (condition_id) from {{ ref('dim_answer_setting') }}),

-- P.D. is a mean of perplexities, none of which is under 1: a probability is at most 1. It has no
-- upper end.
perplexity as (select 1.0::double as scale_min, null::double as scale_max),

-- Means of the same scores in another order differ in the last bit, which is no difference.
placed as (
    select
        *,
        {{ better_sign('metric') }} * round(score, 12) as goodness,
        case
            when score is not null
                then
                    rank() over (partition by {{ ranking }}, score is null order by goodness desc)
        end as place,
        count(*) over (partition by {{ ranking }}, goodness) as shared_by,
        {{ better_sign('metric') }} * round(score_shared, 12) as goodness_shared,
        case
            when score_shared is not null
                then
                    rank() over (
                        partition by {{ ranking }}, score_shared is null
                        order by goodness_shared desc
                    )
        end as place_shared,
        count(*) over (partition by {{ ranking }}, goodness_shared) as place_shared_by
    from measured
),

-- Evaluators are averaged within one wording of the request: the paper's table has one.
evaluators as (
    select
        condition_id,
        metric,
        evaluator_template,
        count(distinct evaluator_id) as n_evaluators
    from placed
    where score is not null
    group by condition_id, metric, evaluator_template
),

averaged as (
    select
        placed.setting_id,
        placed.condition_id,
        placed.metric,
        placed.evaluator_template,
        any_value(evaluators.n_evaluators) as n_evaluators,
        case
            when count(placed.place) = any_value(evaluators.n_evaluators) then avg(placed.place)
        end as mean_place
    from placed
    inner join evaluators using (condition_id, metric, evaluator_template)
    group by placed.setting_id, placed.condition_id, placed.metric, placed.evaluator_template
),

normalised as (
    select
        *,
        case
            when mean_place is not null
                then
                    rank() over (
                        partition by condition_id, metric, evaluator_template, mean_place is null
                        order by round(mean_place, 9)
                    )
        end as norm_place,
        count(*) over (
            partition by condition_id, metric, evaluator_template, round(mean_place, 9)
        ) as norm_shared_by
    from averaged
)

select
    placed.* exclude (
        standard_error, score_if_0, score_if_1, mean_log2_words, half_width_shared, half_width,
        goodness, shared_by, goodness_shared, place_shared_by
    ),
    settings.dataset_id,
    settings.split,
    settings.judge_id,
    settings.template,
    settings.wording,
    settings.temperature,
    settings.top_p,
    settings.target_tokens,
    settings.retrieval,
    settings.is_trusted_only,
    settings.retriever,
    {% for ground in ['', '_shared'] %}
        {%- set n_questions = 'placed.n_questions' ~ ground %}
        {%- set score = 'placed.score' ~ ground %}
        {%- set half_width = spread('placed.half_width' ~ ground) %}
        {% for end, sign in [('low', -1), ('high', 1)] %}
            case
                when placed.metric = {{ dispute_awareness() }}
                    then {{ clustered_share_bound(score, half_width, n_questions, sign) }}
                when {{ n_questions }} >= {{ var('min_units_for_interval') }}
                    then {{ scale_bound(score, half_width, sign, 'perplexity') }}
            end as score{{ ground }}_{{ end }},
        {% endfor %}
    {% endfor %}
    {{ place_label('placed.place_shared', 'placed.place_shared_by') }} as place_shared_label,
    case when placed.metric = {{ dispute_awareness() }} then placed.score_if_0 end as score_all_0,
    case when placed.metric = {{ dispute_awareness() }} then placed.score_if_1 end as score_all_1,
    {{ place_label('placed.place', 'placed.shared_by') }} as place_label,
    normalised.n_evaluators,
    normalised.mean_place,
    normalised.norm_place,
    {{ place_label('normalised.norm_place', 'normalised.norm_shared_by') }} as norm_place_label,
    adjusted.slope as length_slope,
    {{ ends('adjusted.slope', 'adjusted.slope_half_width', 'length_slope') }},
    coalesce(adjusted.n_slope_questions, 0)::bigint as n_slope_questions,
    2 ^ adjusted.reference_log2 as reference_word_count,
    {% set is_possible = 'adjusted.score_adjusted >= perplexity.scale_min' -%}
    case when {{ is_possible }} then adjusted.score_adjusted end as score_adjusted,
    {% for end, sign in [('low', -1), ('high', 1)] %}
        case
            when {{ is_possible }}
                then {{ scale_bound(
                    'adjusted.score_adjusted', 'adjusted.half_width', sign, 'perplexity'
                ) }}
        end as score_adjusted_{{ end }},
    {% endfor %}
    case
        when
            placed.metric != {{ perspective_diversity() }}
            then 'length is controlled for P.D. alone'
        when placed.score is null then 'no scored answer'
        when
            not {{ is_possible }}
            then 'the line over lengths falls below 1, the least P.D. there is'
        else adjusted.reason
    end as length_reason,
    ratios.* exclude (
        setting_id, evaluator_id, evaluator_template, n_shared_questions, n_partial_answers
    ),
    coalesce(ratios.n_shared_questions, 0)::bigint as n_shared_questions,
    case
        when placed.score is null then 'no scored answer'
        {{ when_too_few('placed.n_questions', 'questions') }}
        when
            placed.metric != {{ dispute_awareness() }} and {{ spread('placed.half_width') }} is null
            then 'every question has the same score'
    end as reason
from placed
cross join perplexity
inner join settings using (setting_id)
left join normalised
    using (setting_id, condition_id, metric, evaluator_template)
left join {{ ref('int_length_adjusted') }} as adjusted
    on
        placed.metric = {{ perspective_diversity() }}
        and placed.setting_id = adjusted.setting_id
        and placed.evaluator_id = adjusted.evaluator_id
        and placed.evaluator_template = adjusted.evaluator_template
left join {{ ref('int_probability_ratios') }} as ratios
    on
        placed.metric = {{ perspective_diversity() }}
        and placed.setting_id = ratios.setting_id
        and placed.evaluator_id = ratios.evaluator_id
        and placed.evaluator_template = ratios.evaluator_template
