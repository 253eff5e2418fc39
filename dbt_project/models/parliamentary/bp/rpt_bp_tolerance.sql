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

joined as materialized (
    select
        settings.setting_id,
        scores.*,
    {% for tolerance in range(0, 11) %}
    {% for baseline in ['always_mean', 'speaking_order'] %}
        {{ baseline }}.within_{{ tolerance }} as {{ baseline }}_{{ tolerance }}
        {{- ',' if not loop.last }}
    {% endfor %}
        {{- ',' if not loop.last }}
    {% endfor %}
    from settings
    left join scores on settings.setting_id = scores.subject_id
    {% for baseline in ['always_mean', 'speaking_order'] %}
        left join {{ baseline }} on scores.debate_key = {{ baseline }}.debate_key
    {% endfor %}
    where settings.task in ({{ speaker_scores() }}, {{ all_tasks() }})
),

shares as (
    {% for tolerance in range(0, 11) %}
        {% set within = 'within_' ~ tolerance %}
        select
            setting_id,
            {{ tolerance }}::bigint as tolerance,
            count({{ within }}) as n_units,
            coalesce(sum(n_answers), 0)::bigint as n_answers,
            coalesce(sum(n_values), 0)::bigint as n_values,
            coalesce(sum(n_places - n_values), 0)::bigint as missing_count,
            avg({{ within }}) as share,
            var_samp({{ within }}) / count({{ within }}) as variance,
            avg({{ within }}_worst + missing_share) as share_if_best,
            avg({{ within }}_worst) as share_if_worst,
        {% for baseline in ['always_mean', 'speaking_order'] %}
            avg({{ baseline }}_{{ tolerance }}) filter ({{ within }} is not null)
                as {{ baseline }}_share{{ ',' if not loop.last }}
        {% endfor %}
        from joined
        group by setting_id
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

halved as (
    select *, {{ clustered_half_width('variance', 'n_units') }} as half_width from shares
)

select
    {{ adjudication_setting_columns('settings') }},
    halved.* exclude (setting_id, variance, half_width),
    {{ share_ends('share', 'half_width', 'n_units') }},
    {{ share_null_reason('n_units') }} as null_reason
from halved
inner join settings using (setting_id)
