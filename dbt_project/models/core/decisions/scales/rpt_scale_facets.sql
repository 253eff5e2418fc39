with

scales as (
    select scale_id, task, dataset_id, dimension
    from {{ ref('int_scale_raters') }}
    group by all
),

fitted as (select * from {{ ref('int_scale_fitted') }} where quantity = 'facet')

select
    scales.scale_id,
    scales.task,
    scales.dataset_id,
    scales.dimension,
    fitted.subset,
    fitted.n_subsets,
    fitted.name as facet,
    fitted.estimate as reliability,
    fitted.low as reliability_low,
    fitted.high as reliability_high,
    sqrt(fitted.estimate / nullif(1 - fitted.estimate, 0)) as separation,
    sqrt(fitted.low / nullif(1 - fitted.low, 0)) as separation_low,
    sqrt(fitted.high / nullif(1 - fitted.high, 0)) as separation_high,
    fitted.n_items as n,
    fitted.n_units,
    case when fitted.estimate is null then fitted.reason end as null_reason,
    fitted.reason as interval_reason
from fitted
inner join scales using (scale_id)
