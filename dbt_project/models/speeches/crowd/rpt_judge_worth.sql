with

fitted as (select * from {{ ref('int_rater_count_fitted') }} where judge_id is not null),

answer_counts as (
    select * from {{ ref('int_answer_counts') }} where judge_id != {{ human() }}
),

-- Every judge that was asked has a row, also where none of its scores is on speeches with enough
-- raters.
keyed as (
    select dataset_id, dimension, judge_id, template, {{ excluded() }} as failure_rule, measure
    from answer_counts
    cross join (select unnest(['pearson', 'tau_c']) as measure) as measures
    union
    select dataset_id, dimension, judge_id, template, failure_rule, measure from fitted
)

select
    keyed.*,
    fitted.correlation,
    fitted.correlation_low,
    fitted.correlation_high,
    fitted.worth,
    coalesce(fitted.worth_status, 'undefined') as worth_status,
    fitted.worth_low,
    fitted.worth_low_status,
    fitted.worth_high,
    fitted.worth_high_status,
    panels.panel_size as n_raters_measured,
    panels.reference_raters,
    coalesce(fitted.n_items, 0) as n_items,
    panels.n_reference_items - coalesce(fitted.n_items, 0) as n_items_left_out,
    coalesce(fitted.n_units, 0) as n_units,
    coalesce(fitted.n_draws, 0) as n_draws,
    answer_counts.unparsed_count,
    answer_counts.unanswered_count,
    case
        when fitted.judge_id is not null then fitted.reason
        when panels.n_rated_items = 0 then 'nobody has rated these speeches'
        when panels.panel_size is null then 'no speech was rated by nine people'
        else 'no speech has both a score and enough ratings'
    end as undefined_reason
from keyed
inner join answer_counts using (dataset_id, dimension, judge_id, template)
inner join {{ ref('int_crowd_panels') }} as panels using (dataset_id, dimension)
left join fitted using (dataset_id, dimension, judge_id, template, failure_rule, measure)
