select
    fields.field_id,
    {{ debater_field_columns('fields') }},
    slopes.name as outcome,
    slopes.estimate as slope,
    slopes.low as slope_low,
    slopes.high as slope_high,
    slopes.intercept,
    slopes.n_debaters,
    slopes.n_units,
    slopes.n_replicates,
    slopes.is_separated,
    slopes.reason as null_reason
from {{ ref('int_debater_ratings_fitted') }} as slopes
inner join {{ ref('int_debater_fields') }} as fields using (field_id)
where slopes.quantity = 'slope'
