{#
Point estimates of agreement per judge, failure rule and smallest number of shared items. The human
row stands beside the judges, with one kappa per pair where they have two.
#}
with

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

human_kappas as (
    select
        dataset_id,
        dimension,
        {{ human() }} as judge_id,
        {{ human() }} as template,
        {{ excluded() }} as failure_rule,
        n_shared,
        n_shared as n_scored,
        [kappa] as kappas
    from {{ ref('int_annotator_pairs') }}
),

judge_kappas as (
    select
        judged.dataset_id,
        judged.dimension,
        judged.judge_id,
        judged.template,
        judged.failure_rule,
        pairs.n_shared,
        judged.n_shared as n_scored,
        [judged.kappa_a, judged.kappa_b] as kappas
    from {{ ref('int_judge_pairs') }} as judged
    inner join {{ ref('int_annotator_pairs') }} as pairs
        using (panel_index, annotator_a, annotator_b)
),

pairs as (
    select * from human_kappas
    union all
    select * from judge_kappas
),

-- A pair whose shared items fall below the minimum once failures are out is dropped, and counted.
kept as (
    select pairs.*, thresholds.min_shared_items
    from pairs
    inner join thresholds
        on
            pairs.n_shared >= thresholds.min_shared_items
            and pairs.n_scored >= thresholds.min_shared_items
),

comparisons as (select * exclude (kappas), unnest(kappas) as kappa from kept)

select
    * exclude (n_shared, n_scored, kappa),
    avg(kappa) as mean_kappa,
    median(kappa) as median_kappa,
    avg(coalesce(kappa, 0)) as mean_kappa_undefined_as_0,
    count(*) as comparison_count,
    count(*) - count(kappa) as undefined_count,
    avg(n_scored) as mean_support
from comparisons
group by all
