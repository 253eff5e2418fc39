{#
Everyone whose values are correlated with the humans', numbered; people are one of them per panel.
A judge is complete when it has a score for every rated item: then what people reach on the items it
scored is what they reach at all, and need not be counted again.
#}
with

panels as (
    select panel_index, dataset_id, dimension, count(distinct item_index) as n_items
    from {{ ref('int_ratings_indexed') }}
    group by all
),

rated_items as (
    select distinct dataset_id, dimension, item_id, panel_index, item_index
    from {{ ref('int_ratings_indexed') }}
),

judges as (
    select
        rated_items.panel_index,
        rated_items.dataset_id,
        rated_items.dimension,
        item_scores.judge_id,
        item_scores.template,
        item_scores.failure_rule,
        count(*) as n_scored
    from {{ ref('int_item_scores') }} as item_scores
    inner join rated_items using (dataset_id, dimension, item_id)
    group by all
),

everyone as (
    select
        judges.* exclude (n_scored),
        judges.n_scored = panels.n_items as is_complete
    from judges
    inner join panels using (panel_index)
    union all
    select
        panel_index,
        dataset_id,
        dimension,
        {{ human() }} as judge_id,
        {{ human() }} as template,
        {{ excluded() }} as failure_rule,
        true as is_complete
    from panels
)

select
    *,
    row_number() over (
        order by dataset_id, dimension, judge_id, template, failure_rule
    ) as judge_index
from everyone
