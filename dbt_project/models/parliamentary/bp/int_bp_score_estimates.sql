{#
Means over debates with the error that their spread leaves, and figures over all speeches with that of
a jackknife which leaves out each debate in turn.
#}
{% set measures = score_measures() %}
{% set pooled = measures | selectattr('kind', 'equalto', 'pooled') | map(attribute='name') | list %}
{% set columns = ['n', 'x', 'y', 'xx', 'yy', 'xy', 'mx', 'my', 'mxx', 'myy', 'mxy', 'squared',
    'squared_chance', 'debates'] %}
with

units as (
    select *, mx * mx as mxx, my * my as myy, mx * my as mxy, 1 as debates
    from {{ ref('int_bp_scores') }}
    where n > 0
),

totals as (
    select
        subject_id,
    {% for column in columns %}
        sum({{ column }})::double as {{ column }}{{ ',' if not loop.last }}
    {% endfor %}
    from units
    group by subject_id
),

replicated as (
    select
        subject_id,
        {% for measure in pooled %}
            {% set sums = dict() %}
            {% for column in columns %}
                {% do sums.update({column: '(totals.' ~ column ~ ' - units.' ~ column ~ ')'}) %}
            {% endfor %}
            {{ pooled_score_measure(measure, sums) }} as {{ measure }},
        {% endfor %}
        {# What guessing gives varies with the debates as well, for these two. #}
        sqrt(
            (totals.squared_chance - units.squared_chance) / nullif(totals.debates - 1, 0)
        ) as rmse_chance,
        75 + (totals.y - units.y) / nullif(totals.n - units.n, 0) as calibration_intercept_chance
    from units
    inner join totals using (subject_id)
),

spreads as (
    select
        subject_id,
        {% for measure in pooled %}
            case
                when count(*) = count({{ measure }}) then {{ jackknife_half_width(
                    'var_pop(' ~ measure ~ ')', 'count(*)') }}
            end as {{ measure }}_half,
        {% endfor %}
    {% for measure in ['rmse', 'calibration_intercept'] %}
        case
            when count(*) = count({{ measure }}) then {{ jackknife_half_width(
                    'var_pop(' ~ measure ~ ' - ' ~ measure ~ '_chance)', 'count(*)') }}
        end as {{ measure }}_chance_half{{ ',' if not loop.last }}
    {% endfor %}
    from replicated
    group by subject_id
),

counts as (
    select
        subject_id,
        bool_or(is_random) as is_random,
        count(*) filter (n > 0) as n_readable,
        sum(n_answers)::bigint as n_answers,
        sum(n_values)::bigint as n_values,
        sum(n_places - n_values)::bigint as missing_count,
        sum(failed_count)::bigint as failed_count,
        avg(mae_best) as mae_if_best,
        avg(mae_worst) as mae_if_worst,
        sqrt(avg(squared_best)) as rmse_if_best,
        sqrt(avg(squared_worst)) as rmse_if_worst
    from {{ ref('int_bp_scores') }}
    group by subject_id
),

estimates as (
    {% for measure in measures %}
        {% set name = measure.name %}
        select
            counts.subject_id,
            '{{ name }}' as measure,
            {{ loop.index }} as measure_order,
            '{{ measure.better }}' as better,
            {{ measure.get('low', 'null') }}::double as lowest,
            {{ measure.get('high', 'null') }}::double as highest,
            {% if measure.kind == 'mean' %}
                means.n_units,
                means.value,
                {{ clustered_half_width('means.variance', 'means.n_units') }} as half_width,
                means.by_chance,
                {{ clustered_half_width('means.chance_variance', 'means.n_units') }}
                    as chance_half_width,
            {% else %}
                {% set sums = dict() %}
                {% for column in columns %}
                    {% do sums.update({column: 'totals.' ~ column}) %}
                {% endfor %}
                {% set chance = {
                    'rmse': 'sqrt(totals.squared_chance / totals.debates)',
                    'calibration_intercept': '75 + totals.y / totals.n', 'sd_ratio': 'null'
                }.get(name, '0.0') %}
                counts.n_readable as n_units,
                case
                    when counts.n_readable = 0 then null
                    when is_random then {{ chance }}
                    else {{ pooled_score_measure(name, sums) }}
                end as value,
                spreads.{{ name }}_half as half_width,
                case when counts.n_readable > 0 then {{ chance }} end::double as by_chance,
                {% if name in ['rmse', 'calibration_intercept'] %} spreads.{{ name }}_chance_half
                {%- elif name == 'sd_ratio' %} null
                {%- else %} spreads.{{ name }}_half
                {%- endif %} as chance_half_width,
            {% endif %}
            {{ ('counts.' ~ name ~ '_if_best') if name in ['mae', 'rmse'] else 'null::double' }}
                as value_if_best,
            {{ ('counts.' ~ name ~ '_if_worst') if name in ['mae', 'rmse'] else 'null::double' }}
                as value_if_worst
        from counts
        {% if measure.kind == 'mean' %}
            inner join (
                select
                    subject_id,
                    count({{ name }}) as n_units,
                    avg({{ name }}) as value,
                    var_samp({{ name }}) / count({{ name }}) as variance,
                    avg({{ name }}_chance) as by_chance,
                    var_samp({{ name }} - {{ name }}_chance) / count({{ name }}) as chance_variance
                from {{ ref('int_bp_scores') }}
                group by subject_id
            ) as means using (subject_id)
        {% else %}
            left join totals using (subject_id)
            left join spreads using (subject_id)
        {% endif %}
        {{ 'union all' if not loop.last }}
    {% endfor %}
)

select
    estimates.* exclude (lowest, highest, half_width, chance_half_width),
    {{ speaker_scores() }} as task,
    case when half_width is not null then greatest(lowest, value - half_width) end as value_low,
    case when half_width is not null then least(highest, value + half_width) end as value_high,
    counts.n_readable - estimates.n_units as n_undefined,
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
        when value is null and is_random then 'not known in closed form'
        when value is null then 'scores that do not vary'
        {{ when_too_few('estimates.n_units', 'debates') }}
        when half_width is null then 'no debate left out changes it, or one leaves it undefined'
    end as null_reason
from estimates
inner join counts using (subject_id)
