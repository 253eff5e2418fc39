with

fitted as (select * from {{ ref('int_scale_fitted') }} where quantity = 'rater')

select
    raters.* exclude (is_judge),
    fitted.subset,
    fitted.n_subsets,
    fitted.estimate as severity,
    fitted.low as severity_low,
    fitted.high as severity_high,
    fitted.se as severity_se,
    fitted.infit,
    fitted.infit_low,
    fitted.infit_high,
    fitted.outfit,
    fitted.outfit_low,
    fitted.outfit_high,
    fitted.n_items,
    fitted.n_units,
    case when fitted.estimate is null then fitted.reason end as null_reason,
    fitted.reason as interval_reason
from {{ ref('int_scale_raters') }} as raters
inner join fitted on raters.scale_id = fitted.scale_id and raters.rater_key = fitted.name
