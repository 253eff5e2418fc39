{#
Two judges asked alike are compared on the speeches that both have scored: their shared ground. Pairs
that share the same speeches have the same ground.
#}
with

judges as (
    select * from {{ ref('int_rank_judges') }}
    where
        failure_rule = {{ excluded() }} and judge_id != {{ human() }}
        and not {{ is_ensemble('judge_id') }}
),

rated as (
    select distinct dataset_id, dimension, item_id, panel_index, item_index
    from {{ ref('int_ratings_indexed') }}
),

scored as (
    select judges.judge_index, rated.item_index
    from {{ ref('int_item_scores') }} as item_scores
    inner join judges using (dataset_id, dimension, judge_id, template, failure_rule)
    inner join rated using (dataset_id, dimension, item_id)
),

shared as (
    select
        one.dataset_id,
        one.dimension,
        one.template,
        one.panel_index,
        one.judge_id as judge_a,
        other.judge_id as judge_b,
        one.judge_index as index_a,
        other.judge_index as index_b,
        list(scored_a.item_index order by scored_a.item_index) as item_indices
    from judges as one
    inner join judges as other
        on
            one.panel_index = other.panel_index
            and one.template = other.template
            and one.judge_id < other.judge_id
    inner join scored as scored_a on one.judge_index = scored_a.judge_index
    inner join scored as scored_b
        on other.judge_index = scored_b.judge_index and scored_a.item_index = scored_b.item_index
    group by all
)

select
    *,
    len(item_indices) as n_shared,
    dense_rank() over (order by panel_index, item_indices) as ground_index
from shared
