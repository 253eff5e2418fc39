with

raters as (select * from {{ ref('int_scale_raters') }}),

fitted as (select * from {{ ref('int_scale_fitted') }} where quantity = 'rater')

select
    raters.scale_id,
    raters.rater_key,
    raters.task,
    raters.dataset_id,
    raters.dimension,
    raters.experiment,
    raters.judge_id,
    raters.annotator_id,
    raters.template,
    raters.variant_id,
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
    raters.mean_score,
    fitted.n_items,
    fitted.n_units,
    case when fitted.estimate is null then fitted.reason end as null_reason,
    fitted.reason as interval_reason
from raters
inner join fitted on raters.scale_id = fitted.scale_id and raters.rater_key = fitted.name
