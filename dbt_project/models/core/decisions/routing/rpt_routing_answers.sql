{#
Every answer with its interval, or of a label its prediction set, and whether a person must see it for
the combined error that is wanted unless another is chosen. Answers that people have not judged are
among them; an answer that failed is always for a person.
#}
with

predictions as (select * from {{ ref('int_routing_predictions') }} where is_test),

cutoffs as (
    select * from {{ ref('int_routing_cutoffs') }}
    where wanted_error = {{ var('routing_wanted_error') }}
),

intervals as (
    select
        predictions.*,
        radii.radius * predictions.spread as half_width,
        {{ routing_uncertainty('predictions', 'radii') }} as uncertainty,
        cutoffs.cutoff
    from predictions
    inner join {{ ref('int_routing_radii') }} as radii using (series_id, rotation)
    inner join cutoffs using (series_id, rotation)
)

select
    series.* exclude (scale_min, scale_max),
    answers.instance_id,
    answers.cluster_id,
    answers.source,
    answers.judge_value,
    answers.people_value,
    case
        when not series.is_label then {{ clip('intervals.prediction', 'scale_min', 'scale_max') }}
    end as prediction,
    case
        when not series.is_label
            then {{ clip('intervals.prediction - intervals.half_width', 'scale_min', 'scale_max') }}
    end as prediction_low,
    case
        when not series.is_label
            then {{ clip('intervals.prediction + intervals.half_width', 'scale_min', 'scale_max') }}
    end as prediction_high,
    case
        when series.is_label and intervals.half_width is not null
            then concat_ws(
                ', ',
                case when answers.judge_value <= intervals.half_width + 1e-12 then 'pro' end,
                case when 1 - answers.judge_value <= intervals.half_width + 1e-12 then 'con' end
            )
    end as prediction_set,
    intervals.uncertainty,
    intervals.distance * intervals.spread <= intervals.half_width + 1e-12 as is_covered,
    intervals.error,
    intervals.baseline_error,
    case
        when answers.judge_value is null then true
        else intervals.uncertainty > intervals.cutoff + 1e-12
    end as is_for_people,
    case
        when answers.judge_value is null then 'the judge gave no answer that could be read'
        when intervals.half_width is null then {{ why_not_routed() }}
    end as reason
from {{ ref('int_routing_answers') }} as answers
inner join {{ ref('int_routing_series') }} as series using (series_id)
left join intervals using (series_id, instance_id)
