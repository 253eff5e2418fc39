{#
For every pair of annotators and every judge: the kappas of the two substitutions, and the pair's own
kappa, all on the pair's shared items the judge has scored.
#}
with

sums as (
    select
        shared_items.* exclude (item_id, a, b),
        scores.judge_id,
        scores.template,
        scores.failure_rule,
        {{ swap_in_sums('scores.score') }},
        sum((a - b) ^ 2) as squared_ab,
        sum(a ^ 2 + b ^ 2) as squares_ab,
        min(a) as min_a,
        max(a) as max_a
    from {{ ref('int_shared_ratings') }} as shared_items
    inner join {{ ref('int_item_scores') }} as scores using (dataset_id, dimension, item_id)
    group by all
)

select
    panel_index,
    dataset_id,
    dimension,
    judge_id,
    template,
    failure_rule,
    annotator_a,
    annotator_b,
    n_shared,
    {{ swap_in_kappas() }},
    {{ quadratic_kappa(
        'n_shared', 'squared_ab', 'squares_ab', 'sum_a', 'sum_b', 'min_a', 'max_a'
    ) }} as kappa_human
from sums
