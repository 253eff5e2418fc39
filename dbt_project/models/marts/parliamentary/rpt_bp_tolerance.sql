with

settings as (select * from {{ ref('dim_adjudication_setting') }}),

scores as (select * from {{ ref('int_bp_scores') }}),

baselines as (
    select distinct {{ key_of(['baseline', 'dataset_id']) }} as subject_id, baseline
    from {{ ref('int_bp_baselines') }}
),

guesses as (
    select scores.*, baselines.baseline
    from scores
    inner join baselines using (subject_id)
),

{% for baseline in ['always_mean', 'speaking_order'] %}
    {{ baseline }} as (select * from guesses where baseline = '{{ baseline }}'),
{% endfor %}

shares as (
    {% for tolerance in range(0, 11) %}
        {% set within = 'within_' ~ tolerance %}
        select
            settings.setting_id,
            {{ tolerance }}::bigint as tolerance,
            count(scores.{{ within }}) as n_units,
            coalesce(sum(scores.n_answers), 0)::bigint as n_answers,
            coalesce(sum(scores.n_values), 0)::bigint as n_values,
            coalesce(sum(scores.n_places - scores.n_values), 0)::bigint as missing_count,
            avg(scores.{{ within }}) as share,
            var_samp(scores.{{ within }}) / count(scores.{{ within }}) as variance,
            avg(scores.{{ within }}_worst + scores.missing_share) as share_if_best,
            avg(scores.{{ within }}_worst) as share_if_worst,
            {% for baseline in ['always_mean', 'speaking_order'] %}
                avg({{ baseline }}.{{ within }}) filter (scores.{{ within }} is not null)
                    as {{ baseline }}_share{{ ',' if not loop.last }}
            {% endfor %}
        from settings
        left join scores on settings.setting_id = scores.subject_id
        {% for baseline in ['always_mean', 'speaking_order'] %}
            left join {{ baseline }} on scores.debate_key = {{ baseline }}.debate_key
        {% endfor %}
        where settings.task in ({{ speaker_scores() }}, {{ all_tasks() }})
        group by settings.setting_id
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

halved as (
    select *, {{ clustered_half_width('variance', 'n_units') }} as half_width from shares
)

select
    {{ adjudication_setting_columns('settings') }},
    halved.tolerance,
    halved.share,
    {{ clustered_share_bound('share', 'half_width', 'n_units', -1) }} as share_low,
    {{ clustered_share_bound('share', 'half_width', 'n_units', 1) }} as share_high,
    halved.n_units,
    halved.n_answers,
    halved.n_values,
    halved.missing_count,
    halved.share_if_best,
    halved.share_if_worst,
    halved.always_mean_share,
    halved.speaking_order_share,
    {{ share_null_reason('n_units') }} as null_reason
from halved
inner join settings using (setting_id)
