{#
Bootstrap draws of annotators: how often each of those who share enough items with another is drawn
in each replicate. Whoever resamples a panel takes these, so that differences are paired.
#}
with

thresholds as (select unnest({{ var('min_shared_items') }}) as min_shared_items),

replicates as (
    select unnest(range(1, {{ var('bootstrap_replicates') }} + 1)) as replicate
),

pairs as (
    select panel_index, min_shared_items, annotator_a, annotator_b
    from {{ ref('int_annotator_pairs') }}
    inner join thresholds on n_shared >= min_shared_items
),

annotators as (
    select
        panel_index,
        min_shared_items,
        annotator,
        row_number()
            over (partition by panel_index, min_shared_items order by annotator)
            as unit_index
    from (
        select panel_index, min_shared_items, annotator_a as annotator from pairs
        union
        select panel_index, min_shared_items, annotator_b from pairs
    )
),

panel_sizes as (
    select panel_index, min_shared_items, count(*) as n_units from annotators group by all
),

draws as (
    select
        panel_index,
        min_shared_items,
        n_units,
        replicate,
        resample_counts({{ var('bootstrap_seed') }}::bigint, n_units, replicate) as counts
    from panel_sizes
    cross join replicates
)

select
    panel_index,
    min_shared_items,
    n_units,
    replicate,
    annotator,
    unit_index,
    counts[unit_index] as weight
from draws
inner join annotators using (panel_index, min_shared_items)
where counts[unit_index] > 0
