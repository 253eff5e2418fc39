{# The scores as they are, beside what each mapping makes of them, on the same speeches. #}
with

items as (select * from {{ ref('int_calibration_items') }}),

calibrated as (select * from {{ ref('int_scores_calibrated') }}),

predictions as (
    select series_id, item_id, method, prediction from calibrated
    union all
    select series_id, item_id, 'none', score from items
)

select
    items.*,
    predictions.method,
    predictions.prediction,
    -- A score as it is stays as it is; a predicted mean becomes the nearest point of the scale.
    case
        when predictions.method = 'none' then predictions.prediction
        else
            {{ clip('round_even(round(predictions.prediction, 12), 0)', 'scale_min', 'scale_max') }}
    end as rounded
from items
inner join predictions using (series_id, item_id)
inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
