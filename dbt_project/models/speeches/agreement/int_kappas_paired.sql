{#
How much more a judge agrees with either person of a pair than these do with each other, on the same items: over
the comparisons where both kappas are defined.
#}
with

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items)

select
    judged.dataset_id,
    judged.dimension,
    judged.judge_id,
    judged.template,
    thresholds.min_shared_items,
    count(*) as pair_count,
    sum(coalesce(kappa_a - kappa_human, 0) + coalesce(kappa_b - kappa_human, 0))
    / nullif(count(kappa_a - kappa_human) + count(kappa_b - kappa_human), 0) as kappa_minus_human
from {{ ref('int_judge_pairs') }} as judged
inner join {{ ref('int_annotator_pairs') }} as pairs using (panel_index, annotator_a, annotator_b)
inner join thresholds
    on
        judged.n_shared >= thresholds.min_shared_items
        and pairs.n_shared >= thresholds.min_shared_items
where judged.failure_rule = {{ excluded() }}
group by all
