{# What the humans reach on exactly the pairs and items a judge was compared on. #}
with

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items)

select
    judged.dataset_id,
    judged.dimension,
    judged.judge_id,
    judged.template,
    thresholds.min_shared_items,
    count(*) as pair_count,
    avg(judged.kappa_human) as mean_kappa_human
from {{ ref('int_judge_pairs') }} as judged
inner join {{ ref('int_annotator_pairs') }} as pairs using (panel_index, annotator_a, annotator_b)
inner join thresholds
    on
        judged.n_shared >= thresholds.min_shared_items
        and pairs.n_shared >= thresholds.min_shared_items
where judged.failure_rule = {{ excluded() }}
group by all
