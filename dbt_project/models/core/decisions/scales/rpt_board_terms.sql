with

fitted as (
    select
        *,
        {{ benjamini_hochberg_product('p', 'dataset_id, board') }} as product
    from {{ ref('int_boards_fitted') }}
    where quantity = 'term'
)

select
    dataset_id,
    board,
    name as term,
    estimate as points,
    low as points_low,
    high as points_high,
    p,
    {{ benjamini_hochberg('product', 'p', 'dataset_id, board') }} as p_adjusted,
    n_games,
    n_units,
    is_separated,
    case when estimate is null then reason end as null_reason,
    reason as interval_reason
from fitted
