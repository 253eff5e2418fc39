{#
What is searched, under which settings, and a fingerprint of both: a search is done again only where
it changed. It is made of what things are called, and adding up hashes makes it independent of order.
#}
with

given as (
    select
        panel_id,
        sum(hash(judge_id, item_id, debate_id, score, human_mean)::hugeint)::varchar
        || ' '
        || count(*)
            as fingerprint
    from {{ ref('int_ensemble_scores') }}
    group by all
),

scales as (
    select
        dataset_id,
        dimension,
        {{ clip('round(scale_max - scale_min) + 1', 2, 1e15) }}::bigint as scale_points
    from {{ loaded('dimensions') }}
),

settings as (
    select
        {{ var('min_units_for_interval') }}::bigint as min_units,
        {{ var('ensemble_splits') }}::bigint as ensemble_splits,
        {{ var('bootstrap_seed') }}::bigint as bootstrap_seed,
        {{ var('jackknife_groups') }}::bigint as jackknife_groups,
        {{ var('max_ensemble_comparisons') }}::bigint as max_ensemble_comparisons
),

panels as (
    select
        panel_id,
        dataset_id,
        dimension,
        template,
        count(*) filter (is_searched) as n_judges,
        count(*) filter (not is_searched) as n_judges_left_out,
        any_value(n_items_judged) as n_items_judged
    from {{ ref('int_ensemble_judges') }} as judges
    group by all
)

select
    panels.*,
    scales.scale_points,
    settings.*,
    concat_ws(
        ' ', given.fingerprint, min_units, ensemble_splits, bootstrap_seed, jackknife_groups,
        max_ensemble_comparisons, scale_points
    ) as fingerprint
from panels
cross join settings
inner join scales using (dataset_id, dimension)
left join given using (panel_id)
