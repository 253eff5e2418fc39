{#
Sums over the speeches of a debate. Every answer counts as it is, and the answers about one speech share
the weight of one. x is predicted and y official, both less 75, which keeps sums of squares exact enough.
An unreadable score is at best the panel's own and at worst the farther end of the scale. An even guess
between 50 and 100 is off by ((o - 50)^2 + (100 - o)^2) / 100 on average, and squared by
2500 / 12 + (o - 75)^2.
#}
{% set tolerances = range(0, 11) %}
with

decisions as (
    select
        *,
        abs(predicted - official) as error,
        greatest(official - 50, 100 - official) as worst_error
    from {{ ref('int_bp_decisions') }}
    where task = {{ speaker_scores() }}
),

speeches as (
    select
        subject_id,
        debate_key,
        place_index,
        bool_or(is_random) as is_random,
        count(*) as n_answers,
        count(predicted) as n_values,
        min(predicted) as least,
        max(predicted) as most,
        avg(predicted - 75) as x,
        avg(official - 75) filter (predicted is not null) as y,
        avg((predicted - 75) ^ 2) as xx,
        avg((official - 75) ^ 2) filter (predicted is not null) as yy,
        avg((predicted - 75) * (official - 75)) as xy,
        avg(error) as mae,
        avg(coalesce(error, 0)) as mae_best,
        avg(coalesce(error, worst_error)) as mae_worst,
        avg(error ^ 2) as squared,
        avg(coalesce(error ^ 2, 0)) as squared_best,
        avg(coalesce(error ^ 2, worst_error ^ 2)) as squared_worst,
        avg(((official - 50) ^ 2 + (100 - official) ^ 2) / 100)
        filter (predicted is not null) as mae_chance,
        avg(2500 / 12.0 + (official - 75) ^ 2) filter (predicted is not null) as squared_chance,
    {% for tolerance in tolerances %}
        avg((error <= {{ tolerance }} + 1e-9)::int)
            as within_{{ tolerance }}{{ ',' if not loop.last }}
    {% endfor %}
    from decisions
    group by subject_id, debate_key, place_index
),

failures as (
    select subject_id, debate_key, count(distinct answer_key) as failed_count
    from decisions
    where predicted is null
    group by subject_id, debate_key
),

summed as (
    select
        subject_id,
        debate_key,
        bool_or(is_random) as is_random,
        max(n_answers) as n_answers,
        sum(n_values)::bigint as n_values,
        sum(n_answers)::bigint as n_places,
        count(x)::double as n,
        coalesce(min(least) < max(most), false) as is_varied,
        {% for column in ['x', 'y', 'xx', 'yy', 'xy'] %}
            sum({{ column }}) as {{ column }},
        {% endfor %}
        avg(x) as mx,
        avg(y) as my,
        {% for column in [
            'mae', 'mae_best', 'mae_worst', 'mae_chance', 'squared', 'squared_best', 'squared_worst',
            'squared_chance'
        ] %}
            avg({{ column }}) as {{ column }},
        {% endfor %}
        -- With every unreadable score out of bounds; within them, they add their share.
        1 - avg(n_values / n_answers) as missing_share,
    {% for tolerance in tolerances %}
        avg(within_{{ tolerance }}) as within_{{ tolerance }},
        avg(coalesce(within_{{ tolerance }}, 0) * n_values / n_answers)
            as within_{{ tolerance }}_worst{{ ',' if not loop.last }}
    {% endfor %}
    from speeches
    group by subject_id, debate_key
)

-- The even guess is its expected value, and has no scores of its own to sum.
select
    summed.* exclude (mae, squared, is_random),
    coalesce(failures.failed_count, 0) as failed_count,
    is_random,
    case when is_random then mae_chance else mae end as mae,
    case when is_random then squared_chance else squared end as squared,
    case when is_random then -my else mx - my end as bias,
    -my as bias_chance,
    case
        when is_random then case when {{ varies('n', 'y', 'yy') }} then 0.0 end
        else {{ pearson_from_sums('n', 'x', 'y', 'xx', 'yy', 'xy', 'is_varied and '
                ~ varies('n', 'x', 'xx') ~ ' and ' ~ varies('n', 'y', 'yy')) }}
    end::double as correlation_within,
    case when n > 0 then 0.0::double end as correlation_within_chance
from summed
left join failures using (subject_id, debate_key)
