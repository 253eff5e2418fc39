{#
The judges an ensemble could be made of, with what one answer of each costs. Registered ensembles are
made of judges themselves, and are no members.
#}
with

rated as (
    select dataset_id, dimension, template, judge_id, item_id
    from {{ ref('int_item_scores') }} as item_scores
    inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
    where
        item_scores.failure_rule = {{ excluded() }}
        and item_scores.judge_id not in (select ensemble_id from {{ ref('stg_raw__ensembles') }})
),

panels as (
    select dataset_id, dimension, template, count(distinct item_id) as n_items_judged
    from rated
    group by all
),

judges as (
    select dataset_id, dimension, template, judge_id, count(*) as n_items
    from rated
    group by all
),

-- What one speech costs with its repeats; one of which a repeat has no known cost counts nowhere.
item_costs as (
    select dataset_id, dimension, template, judge_id, item_id, sum(cost_usd) as cost_usd
    from {{ ref('int_answers_pooled') }}
    group by all
    having count(cost_usd) = count(*)
),

costs as (
    select dataset_id, dimension, template, judge_id, avg(cost_usd) as cost_per_item_usd
    from item_costs
    group by all
)

select
    dense_rank() over (order by dataset_id, dimension, template) as panel_id,
    judges.*,
    panels.n_items_judged,
    costs.cost_per_item_usd,
    judges.n_items >= {{ var('min_ensemble_coverage') }} * panels.n_items_judged as is_searched
from judges
inner join panels using (dataset_id, dimension, template)
left join costs using (dataset_id, dimension, template, judge_id)
