{#
Swap-in kappas of rounded scores before and after each mapping, as the mean over pairs of people
(replicate 0) and over annotators drawn with replacement, the same draws as of every kappa.
#}
with

shared_items as (select * from {{ ref('int_shared_ratings') }}),

kappas as (
    select
        predictions.series_id,
        predictions.method,
        shared_items.panel_index,
        shared_items.annotator_a,
        shared_items.annotator_b,
        {{ swap_in_sums('predictions.rounded') }},
        {{ swap_in_kappas() }}
    from {{ ref('int_calibration_predictions') }} as predictions
    inner join shared_items using (dataset_id, dimension, item_id)
    group by all
    having count(*) >= {{ kappa_min_shared() }}
),

pairs as (select distinct panel_index, annotator_a, annotator_b from shared_items),

annotators as (
    select
        panel_index,
        annotator,
        row_number() over (partition by panel_index order by annotator) as unit_index,
        count(*) over (partition by panel_index) as n_units
    from (
        select panel_index, annotator_a as annotator from pairs
        union
        select panel_index, annotator_b from pairs
    )
),

draws as (
    select
        panel_index,
        replicate,
        resample_counts({{ var('bootstrap_seed') }}::bigint, n_units, replicate) as counts
    from (select distinct panel_index, n_units from annotators)
    cross join (
        select unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate
    )
),

weights as (
    select
        annotators.panel_index,
        annotators.annotator,
        annotators.n_units,
        draws.replicate,
        draws.counts[unit_index] as weight
    from annotators
    inner join draws using (panel_index)
    where draws.counts[unit_index] > 0
    union all
    select panel_index, annotator, n_units, 0, 1 from annotators
)

select
    kappas.series_id,
    kappas.method,
    first_weights.replicate,
    any_value(first_weights.n_units) as n_units,
    count(*) as pair_count,
    sum(
        first_weights.weight * second_weights.weight * (coalesce(kappa_a, 0) + coalesce(kappa_b, 0))
    )
    / nullif(
        sum(
            first_weights.weight * second_weights.weight
            * ((kappa_a is not null)::integer + (kappa_b is not null)::integer)
        ), 0
    ) as mean_kappa
from kappas
inner join weights as first_weights
    on
        kappas.panel_index = first_weights.panel_index
        and kappas.annotator_a = first_weights.annotator
inner join weights as second_weights
    on
        kappas.panel_index = second_weights.panel_index
        and kappas.annotator_b = second_weights.annotator
        and first_weights.replicate = second_weights.replicate
group by all
