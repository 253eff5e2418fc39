{#
Every data set and dimension that people or judges have scored, with what its raters allow. The
reference is the mean of eight raters of an item; a panel of up to seven others meets it. The
panel is as large as at least nine in ten of the items with nine raters or more can fill; the others are
left out, and counted.
#}
{% set reference, largest = 8, 7 %}
with

ratings as (select * from {{ ref('int_ratings_indexed') }}),

panels as (select distinct dataset_id, dimension from {{ ref('int_answer_counts') }}),

items as (
    select dataset_id, dimension, panel_index, item_index, count(*) as n_raters
    from ratings
    group by all
),

counted as (
    select
        dataset_id,
        dimension,
        any_value(panel_index) as panel_index,
        count(*) as n_rated_items,
        sum(n_raters)::bigint as n_ratings,
        count(*) filter (n_raters > 1) as n_items,
        coalesce(sum(n_raters) filter (n_raters > 1), 0)::bigint as n_pairable_ratings,
        avg(n_raters) filter (n_raters > 1) as mean_raters,
        count(*) filter (n_raters > 1)
        / sum(1.0 / n_raters) filter (n_raters > 1) as harmonic_raters,
        case
            when max(n_raters) > {{ reference }}
                then least(
                    {{ largest }},
                    quantile_disc(n_raters, 0.1) filter (n_raters > {{ reference }})
                    - {{ reference }}
                )
        end::bigint as panel_size
    from items
    group by all
),

raters as (
    select panel_index, count(distinct annotator_index) as n_raters
    from ratings
    group by all
),

units as (
    select
        items.panel_index,
        count(distinct clusters.debate_id) filter (items.n_raters > 1) as n_units,
        count(*) filter (
            items.n_raters >= {{ reference }} + counted.panel_size
        ) as n_reference_items
    from items
    inner join counted using (panel_index)
    inner join {{ ref('int_rank_clusters') }} as clusters using (item_index)
    group by all
)

select
    panels.dataset_id,
    panels.dimension,
    counted.panel_index,
    {{ or_zero(['n_rated_items', 'n_ratings', 'n_items', 'n_pairable_ratings'], of='counted') }},
    coalesce(raters.n_raters, 0) as n_raters,
    counted.mean_raters,
    counted.harmonic_raters,
    coalesce(units.n_units, 0) as n_units,
    {{ reference }}::bigint as reference_raters,
    counted.panel_size,
    coalesce(units.n_reference_items, 0) as n_reference_items,
    {{ var('min_units_for_interval') }}::bigint as min_units,
    {{ var('bootstrap_seed') }}::bigint as bootstrap_seed,
    {{ var('bootstrap_replicates') }}::bigint as bootstrap_replicates
from panels
left join counted using (dataset_id, dimension)
left join raters using (panel_index)
left join units using (panel_index)
