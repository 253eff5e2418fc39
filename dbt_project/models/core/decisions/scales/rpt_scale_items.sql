with

scales as (
    select scale_id, task, dataset_id, dimension
    from {{ ref('int_scale_raters') }}
    group by all
),

items as (
    select scale_id, instance_id, any_value(source) as source, any_value(cluster_id) as cluster_id
    from {{ ref('int_scale_ratings') }}
    group by scale_id, instance_id
),

fitted as (select * from {{ ref('int_scale_fitted') }} where quantity = 'item')

select
    fitted.scale_id,
    scales.task,
    scales.dataset_id,
    scales.dimension,
    fitted.name as instance_id,
    items.cluster_id,
    items.source,
    fitted.subset,
    fitted.estimate as quality,
    fitted.low as quality_low,
    fitted.high as quality_high,
    fitted.se as quality_se,
    fitted.infit,
    fitted.outfit,
    fitted.n_raters,
    fitted.reason as null_reason
from fitted
inner join scales using (scale_id)
inner join items on fitted.scale_id = items.scale_id and fitted.name = items.instance_id
