select
    scale_id,
    rater_key,
    any_value(task) as task,
    any_value(dataset_id) as dataset_id,
    any_value(dimension) as dimension,
    any_value(experiment) as experiment,
    case when any_value(is_judge) then any_value(rater_id) else {{ human() }} end as judge_id,
    case when not any_value(is_judge) then any_value(rater_id) end as annotator_id,
    any_value(template) as template,
    any_value(variant_id) as variant_id,
    any_value(is_judge) as is_judge,
    avg(value) as mean_score
from {{ ref('int_scale_ratings') }}
group by scale_id, rater_key
