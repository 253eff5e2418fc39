{#
Replicates of the mean kappas: annotators are drawn with replacement, and a pair counts as often as its
two annotators were both drawn (two draws of one annotator form no pair). Every judge and the humans
share the same draws.
#}
with

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

pairs as (
    select panel_index, min_shared_items, annotator_a, annotator_b, kappa
    from {{ ref('int_annotator_pairs') }}
    inner join thresholds on n_shared >= min_shared_items
),

weights as (select * from {{ ref('int_annotators_drawn') }}),

pair_weights as (
    select
        pairs.*,
        first_weights.n_units,
        first_weights.replicate,
        first_weights.weight * second_weights.weight as weight
    from pairs
    inner join weights as first_weights
        on
            pairs.panel_index = first_weights.panel_index
            and pairs.min_shared_items = first_weights.min_shared_items
            and pairs.annotator_a = first_weights.annotator
    inner join weights as second_weights
        on
            pairs.panel_index = second_weights.panel_index
            and pairs.min_shared_items = second_weights.min_shared_items
            and pairs.annotator_b = second_weights.annotator
            and first_weights.replicate = second_weights.replicate
),

human_replicates as (
    select
        panel_index,
        {{ human() }} as judge_id,
        {{ human() }} as template,
        min_shared_items,
        n_units,
        replicate,
        sum(weight * kappa) / nullif(sum(weight) filter (kappa is not null), 0) as mean_kappa,
        null::double as kappa_minus_human
    from pair_weights
    group by all
),

judge_replicates as (
    select
        panel_index,
        judged.judge_id,
        judged.template,
        pair_weights.min_shared_items,
        pair_weights.n_units,
        pair_weights.replicate,
        sum(weight * (coalesce(kappa_a, 0) + coalesce(kappa_b, 0))) / nullif(
            sum(weight * ((kappa_a is not null)::integer + (kappa_b is not null)::integer)), 0
        ) as mean_kappa,
        sum(
            weight
            * (coalesce(kappa_a - kappa_human, 0) + coalesce(kappa_b - kappa_human, 0))
        ) / nullif(
            sum(
                weight * (
                    (kappa_a - kappa_human is not null)::integer
                    + (kappa_b - kappa_human is not null)::integer
                )
            ), 0
        ) as kappa_minus_human
    from pair_weights
    inner join {{ ref('int_judge_pairs') }} as judged using (panel_index, annotator_a, annotator_b)
    where
        judged.failure_rule = {{ excluded() }} and judged.n_shared >= pair_weights.min_shared_items
    group by all
),

replicated as (
    select * from human_replicates
    union all
    select * from judge_replicates
),

panels as (
    select distinct panel_index, dataset_id, dimension from {{ ref('int_annotator_pairs') }}
)

select panels.dataset_id, panels.dimension, replicated.* exclude (panel_index)
from replicated
inner join panels using (panel_index)
