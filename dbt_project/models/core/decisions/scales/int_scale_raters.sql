select
    scale_id,
    rater_key,
    {{ alike_in_group(['task', 'dataset_id', 'dimension', 'experiment']) }},
    case when any_value(is_judge) then any_value(rater_id) else {{ human() }} end as judge_id,
    case when not any_value(is_judge) then any_value(rater_id) end as annotator_id,
    {{ alike_in_group(['template', 'variant_id', 'is_judge']) }},
    avg(value) as mean_score
from {{ ref('int_scale_ratings') }}
group by scale_id, rater_key
