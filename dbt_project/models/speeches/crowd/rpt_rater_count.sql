with

panels as (select * from {{ ref('int_crowd_panels') }}),

fitted as (select * from {{ ref('int_rater_count_fitted') }} where judge_id is null),

-- Up to seven raters there is a row for every number, whether enough people rated these speeches or
-- not.
keyed as (
    select panels.dataset_id, panels.dimension, measures.measure, sizes.n_panel
    from panels
    cross join (select unnest(['pearson', 'tau_c']) as measure) as measures
    cross join (select unnest(generate_series(1, 7)) as n_panel) as sizes
    union
    select dataset_id, dimension, measure, n_panel from fitted
)

select
    keyed.dataset_id,
    keyed.dimension,
    keyed.measure,
    keyed.n_panel::bigint as n_raters,
    fitted.correlation,
    fitted.correlation_low,
    fitted.correlation_high,
    coalesce(fitted.is_extrapolated, false) as is_extrapolated,
    panels.panel_size as n_raters_measured,
    panels.reference_raters,
    panels.n_reference_items as n_items,
    panels.n_rated_items - panels.n_reference_items as n_items_left_out,
    coalesce(fitted.n_units, 0) as n_units,
    coalesce(fitted.n_draws, 0) as n_draws,
    case
        when fitted.correlation is not null then null
        when fitted.reason is not null then fitted.reason
        when panels.n_rated_items = 0 then 'nobody has rated these speeches'
        when panels.panel_size is null then 'no speech was rated by nine people'
        else 'too few people rated each speech for panels of this size'
    end as undefined_reason
from keyed
inner join panels using (dataset_id, dimension)
left join fitted using (dataset_id, dimension, measure, n_panel)
