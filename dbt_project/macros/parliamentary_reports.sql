{#
A report on one task: every setting that asked for it, times every measure. A setting without anything to
be measured by has its rows too, which say so.
#}
{% macro parliamentary_report(task, estimates, measures) %}
with

settings as (select * from {{ ref('dim_adjudication_setting') }}),

measures as (
    {% for measure in measures %}
        select '{{ measure.name }}' as measure, '{{ measure.better }}' as better
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

estimates as (select * from {{ estimates }} where task = '{{ task }}'),

without_official as (
    select setting_id, count(distinct answer_key) as without_official_count
    from {{ ref('int_adjudication_values') }}
    where task = '{{ task }}'
    group by setting_id, answer_key
    having count(official) = 0
),

uncounted as (
    select setting_id, sum(without_official_count)::bigint as without_official_count
    from without_official
    group by setting_id
)

select
    {{ adjudication_setting_columns('settings') }},
    measures.measure,
    estimates.value,
    estimates.value_low,
    estimates.value_high,
    measures.better,
    {% for column in [
        'n_units', 'n_undefined', 'n_answers', 'n_values', 'missing_count', 'failed_count'
    ] %}
        coalesce(estimates.{{ column }}, 0) as {{ column }},
    {% endfor %}
    coalesce(uncounted.without_official_count, 0) as without_official_count,
    estimates.value_if_best,
    estimates.value_if_worst,
    estimates.by_chance,
    estimates.minus_chance,
    estimates.minus_chance_low,
    estimates.minus_chance_high,
    case
        when estimates.subject_id is null then {{ nothing_readable() }}
        else estimates.null_reason
    end as null_reason
from settings
cross join measures
left join estimates
    on settings.setting_id = estimates.subject_id and measures.measure = estimates.measure
left join uncounted on settings.setting_id = uncounted.setting_id
where settings.task in ('{{ task }}', {{ all_tasks() }})
{% endmacro %}
