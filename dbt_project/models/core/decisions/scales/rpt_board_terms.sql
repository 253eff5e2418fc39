with

fitted as (select * from {{ ref('int_boards_fitted') }} where quantity = 'term'),

adjusted as (
    {{ benjamini_hochberg('fitted', 'dataset_id, board') }}
)

select
    dataset_id,
    board,
    name as term,
    estimate as points,
    low as points_low,
    high as points_high,
    p,
    p_adjusted,
    n_games,
    n_units,
    is_separated,
    case when estimate is null then reason end as null_reason,
    reason as interval_reason
from adjusted
