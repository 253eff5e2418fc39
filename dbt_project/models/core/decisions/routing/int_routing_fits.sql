{#
The prediction of annotators' mean from a judge's score, and its usual error: fitted on one fold for each
other as the tested one. A judge's own score is the prediction itself, a recalibrated one a line by least
squares. The spread is the mean distance from the prediction among the answers whose score is in the same
fifth, drawn towards that of all answers as by five more of them, so that a fifth with few answers does
not count for more than it is. The probability of a label is taken as it is, with a spread of 1.
#}
{% set drawn_towards_all = 5 %}
with

answers as (
    select *, (fold + 2) % 3 as rotation
    from {{ ref('int_routing_answers') }}
    inner join {{ ref('int_routing_series') }} using (series_id)
    where judge_value is not null and people_value is not null
),

lines as (
    select
        series_id,
        rotation,
        any_value(is_label) as is_label,
        any_value(answer_form) = 'recalibrated' as is_line,
        count(distinct cluster_id) as fit_topics,
        case
            when any_value(answer_form) != 'recalibrated' then 1.0
            when var_pop(judge_value) > 1e-12 then regr_slope(people_value, judge_value)
            else 0.0
        end as slope,
        avg(people_value) as people_mean,
        avg(judge_value) as judge_mean,
        quantile_cont(judge_value, [0.2, 0.4, 0.6, 0.8]) as edges
    from answers
    group by series_id, rotation
),

residuals as (
    select
        answers.series_id,
        answers.rotation,
        {{ routing_band('lines.edges', 'answers.judge_value') }} as band,
        case
            when lines.is_line
                then abs(
                    answers.people_value - lines.people_mean
                    - lines.slope * (answers.judge_value - lines.judge_mean)
                )
            else abs(answers.people_value - answers.judge_value)
        end as residual
    from answers
    inner join lines using (series_id, rotation)
),

bands as (
    select
        series_id,
        rotation,
        band,
        sum(residual) as residual_sum,
        count(*) as answer_count,
        sum(sum(residual)) over fit / sum(count(*)) over fit as overall
    from residuals
    group by series_id, rotation, band
    window fit as (partition by series_id, rotation)
),

spreads as (
    select
        series_id,
        rotation,
        map(
            list(band),
            list(
                (residual_sum + {{ drawn_towards_all }} * overall)
                / (answer_count + {{ drawn_towards_all }})
            )
        ) as spread_by_band,
        any_value(overall) as overall
    from bands
    group by series_id, rotation
)

select
    lines.series_id,
    lines.rotation,
    lines.fit_topics,
    lines.slope,
    case
        when lines.is_line then lines.people_mean - lines.slope * lines.judge_mean else 0.0
    end as intercept,
    lines.edges,
    case when not lines.is_label then spreads.spread_by_band end as spread_by_band,
    case when lines.is_label then 1.0 else spreads.overall end as overall_spread
from lines
inner join spreads using (series_id, rotation)
