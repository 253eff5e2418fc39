with

scores as (select * from {{ ref('stg_raw__scores') }} where item_kind != {{ answer() }}),

speeches as (select item_id, debate_id, item_hash as hash_now from {{ ref('stg_raw__speeches') }}),

-- A run scores on one scale. One of its scores off the present one: it had another.
rescaled as (
    select distinct scores.run_id, scores.dataset_id, scores.dimension
    from scores
    inner join {{ loaded('dimensions') }} as dimensions using (dataset_id, dimension)
    where scores.value < dimensions.scale_min or scores.value > dimensions.scale_max
)

select
    scores.*,
    {{ answer_status() }} as answer_status,
    debate_id,
    coalesce(hash_now != item_hash, true) or rescaled.run_id is not null as is_stale,
    superseded.response_id is null as is_current
from scores
left join speeches using (item_id)
left join {{ ref('int_responses_superseded') }} as superseded using (response_id)
left join rescaled using (run_id, dataset_id, dimension)
