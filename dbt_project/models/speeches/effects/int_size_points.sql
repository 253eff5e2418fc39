{#
Agreement with people of every judge whose family and size are known. A trend is one measure on one data
set and dimension with one prompt. Sizes and families of the same trend count where agreement is known.
#}
with

judges as (
    select judge_id, family, size_b_params
    from {{ loaded('judges') }}
    where family is not null and size_b_params > 0
),

agreements as (
    select
        dataset_id, dimension, template, judge_id, 'tau_c' as measure,
        null::bigint as min_shared_items, tau_c as agreement
    from {{ ref('int_rank_estimates') }}
    where role = 'pooled' and failure_rule = {{ excluded() }}
    union all
    select
        dataset_id, dimension, template, judge_id, 'kappa', min_shared_items, mean_kappa
    from {{ ref('int_kappas') }}
    where failure_rule = {{ excluded() }}
),

points as (
    select
        agreements.*,
        judges.family,
        judges.size_b_params,
        log2(judges.size_b_params) as log2_size,
        dense_rank() over (
            order by dataset_id, dimension, template, measure, min_shared_items
        ) as trend_id
    from agreements
    inner join judges using (judge_id)
),

families as (
    select
        trend_id,
        family,
        count(distinct size_b_params) filter (agreement is not null) as n_sizes
    from points
    group by all
),

trends as (select trend_id, max(n_sizes) as most_sizes from families group by all)

select
    points.*,
    families.n_sizes >= 2 and trends.most_sizes >= {{ min_sizes_for_turning() }} as is_tested,
    {{ var('bootstrap_seed') }}::bigint as bootstrap_seed,
    {{ var('bootstrap_replicates') }}::bigint as bootstrap_replicates
from points
inner join families using (trend_id, family)
inner join trends using (trend_id)
