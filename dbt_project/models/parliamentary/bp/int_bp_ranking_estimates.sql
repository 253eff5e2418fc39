{# Means over debates, with the error that their spread leaves. #}
{% set measures = ranking_measures() %}
with

units as (select * from {{ ref('int_bp_rankings') }}),

counts as (
    select
        subject_id,
        task,
        count(*) filter (n_read > 0) as n_readable,
        sum(n_answers)::bigint as n_answers,
        sum(n_values)::bigint as n_values,
        sum(n_places - n_values)::bigint as missing_count,
        sum(n_answers - n_read)::bigint as failed_count
    from units
    group by subject_id, task
),

estimates as (
    {% for measure in measures %}
        {% set name = measure.name %}
        select
            subject_id,
            task,
            '{{ name }}' as measure,
            {{ loop.index }} as measure_order,
            '{{ measure.better }}' as better,
            {{ measure.is_share }} as is_share,
            {{ 0 if measure.is_share else measure.get('low', 'null') }}::double as lowest,
            {{ 1 if measure.is_share else measure.get('high', 'null') }}::double as highest,
            count({{ name }}) as n_units,
            avg({{ name }}) as value,
            var_samp({{ name }}) / count({{ name }}) as variance,
            avg({{ name }}_chance) filter ({{ name }} is not null) as by_chance,
            var_samp({{ name }} - {{ name }}_chance) / count({{ name }}) as chance_variance,
            avg({{ name }}_best) as value_if_best,
            avg({{ name }}_worst) as value_if_worst
        from units
        group by subject_id, task
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

halved as (
    select
        *,
        {{ clustered_half_width('variance', 'n_units') }} as half_width,
        {{ clustered_half_width('chance_variance', 'n_units') }} as chance_half_width
    from estimates
)

select
    halved.* exclude (
        is_share, lowest, highest, variance, chance_variance, half_width, chance_half_width
    ),
    {% for end, sign in [('low', -1), ('high', 1)] %}
        case
            when is_share then {{ clustered_share_bound('value', 'half_width', 'n_units', sign) }}
            when half_width is not null
                then
                    {{ 'greatest' if sign < 0 else 'least' }}(
                        {{ 'lowest' if sign < 0 else 'highest' }}, value + {{ sign }} * half_width
                    )
        end as value_{{ end }},
    {% endfor %}
    counts.n_readable - halved.n_units as n_undefined,
    counts.n_answers,
    counts.n_values,
    counts.missing_count,
    counts.failed_count,
    value - by_chance as minus_chance,
    {{ clip_difference('value - by_chance - chance_half_width', 'by_chance') }} as minus_chance_low,
    {{ clip_difference('value - by_chance + chance_half_width', 'by_chance') }}
        as minus_chance_high,
    case
        when counts.n_readable = 0 then {{ nothing_readable() }}
        when halved.n_units = 0 then 'no debate in which the panel tells anything apart'
        {{ when_too_few('halved.n_units', 'debates') }}
        when not is_share and half_width is null then 'every debate has the same value'
    end as null_reason
from halved
inner join counts using (subject_id, task)
