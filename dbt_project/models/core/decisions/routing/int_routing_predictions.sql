{#
What is predicted for each answer by a fit that has not seen its topic: once where its fold is tested,
once where it calibrates. A distance is in spreads. The error is a share of the scale; a label is
wrong, right, or where the judge gives one half half wrong.
#}
with

answers as (
    select
        series.series_id,
        series.is_label,
        series.scale_min,
        series.scale_max,
        answers.* exclude (series_id),
        roles.is_test,
        case when roles.is_test then answers.fold else (answers.fold + 1) % 3 end as rotation
    from {{ ref('int_routing_answers') }} as answers
    inner join {{ ref('int_routing_series') }} as series using (series_id)
    cross join (select unnest([true, false]) as is_test) as roles
    where
        answers.judge_value is not null and (roles.is_test or answers.people_value is not null)
),

predicted as (
    select
        answers.*,
        fits.intercept + fits.slope * answers.judge_value as prediction,
        greatest(
            1e-9,
            coalesce(
                fits.spread_by_band[{{ routing_band('fits.edges', 'answers.judge_value') }}],
                fits.overall_spread
            )
        ) as spread
    from answers
    inner join {{ ref('int_routing_fits') }} as fits using (series_id, rotation)
)

select
    * exclude (scale_min, scale_max, fold, label_value, people_mean),
    abs(people_value - prediction) / spread as distance,
    case
        when is_label then abs(people_value - label_value)
        else
            abs(people_value - {{ clip('prediction', 'scale_min', 'scale_max') }})
            / (scale_max - scale_min)
    end as error,
    abs(
        people_value - case when is_label then {{ decided_con('people_mean') }} else people_mean end
    ) / (scale_max - scale_min) as baseline_error
from predicted
