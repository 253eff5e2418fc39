{#
Two judges asked alike about the same speeches: which agrees more with people? A tau-c differs by topics
(its jackknife, both without the same topics), a mean kappa by annotators (its bootstrap, the same draws
for both). Pairs that share too few of their speeches have no p, and so cannot be told apart.
#}
with

judges as (
    select * from {{ ref('int_rank_judges') }}
    where
        failure_rule = {{ excluded() }} and judge_id != {{ human() }}
        and not {{ is_ensemble('judge_id') }}
),

scored as (
    select distinct observations.judge_index, observations.item_index
    from {{ ref('int_rank_observations') }} as observations
    inner join judges using (judge_index)
    where observations.role = 'pooled'
),

sizes as (select judge_index, count(*) as n_items from scored group by judge_index),

pairs as (
    select
        one.dataset_id,
        one.dimension,
        one.template,
        one.panel_index,
        one.judge_id as judge_a,
        other.judge_id as judge_b,
        one.judge_index as index_a,
        other.judge_index as index_b
    from judges as one
    inner join judges as other
        using (dataset_id, dimension, template, panel_index)
    where one.judge_id < other.judge_id
),

shared as (
    select pairs.index_a, pairs.index_b, count(*) as n_shared
    from pairs
    inner join scored as one on pairs.index_a = one.judge_index
    inner join scored as other
        on pairs.index_b = other.judge_index and one.item_index = other.item_index
    group by all
),

comparable as (
    select
        pairs.*,
        coalesce(shared.n_shared, 0) as n_shared,
        coalesce(shared.n_shared, 0)
        >= {{ var('min_shared_share') }} * greatest(size_a.n_items, size_b.n_items) as is_comparable
    from pairs
    inner join sizes as size_a on pairs.index_a = size_a.judge_index
    inner join sizes as size_b on pairs.index_b = size_b.judge_index
    left join shared using (index_a, index_b)
),

series as (
    select statistics.series_index, statistics.judge_index, statistics.tau_c, judges.panel_index
    from {{ ref('int_rank_statistics') }} as statistics
    inner join judges using (judge_index)
    where statistics.role = 'pooled' and statistics.failure_rule = {{ excluded() }}
),

groups as (
    select distinct series.panel_index, jackknifed.group_index
    from {{ ref('int_rank_jackknifed') }} as jackknifed
    inner join series using (series_index)
),

-- Without a topic that a judge has no score in, its value is what it was.
taus as (
    select
        series.judge_index,
        groups.group_index,
        coalesce(jackknifed.tau_c, series.tau_c) as value
    from series
    inner join groups using (panel_index)
    left join {{ ref('int_rank_jackknifed') }} as jackknifed
        on
            series.series_index = jackknifed.series_index
            and groups.group_index = jackknifed.group_index
),

of_taus as (
    select
        comparable.dataset_id,
        comparable.dimension,
        comparable.template,
        null::bigint as min_shared_items,
        'tau_c' as measure,
        comparable.judge_a,
        comparable.judge_b,
        any_value(series_a.tau_c - series_b.tau_c) as difference,
        count(*) as n_units,
        sqrt((count(*) - 1) * var_pop(one.value - other.value)) as standard_error
    from comparable
    inner join series as series_a on comparable.index_a = series_a.judge_index
    inner join series as series_b on comparable.index_b = series_b.judge_index
    inner join taus as one on comparable.index_a = one.judge_index
    inner join taus as other
        on comparable.index_b = other.judge_index and one.group_index = other.group_index
    where comparable.is_comparable
    group by all
),

kappas as (
    select dataset_id, dimension, judge_id, template, min_shared_items, mean_kappa
    from {{ ref('int_kappas') }}
    where failure_rule = {{ excluded() }}
),

of_kappas as (
    select
        comparable.dataset_id,
        comparable.dimension,
        comparable.template,
        kappa_a.min_shared_items::bigint as min_shared_items,
        'mean_kappa' as measure,
        comparable.judge_a,
        comparable.judge_b,
        any_value(kappa_a.mean_kappa - kappa_b.mean_kappa) as difference,
        any_value(one.n_units) as n_units,
        stddev_samp(one.mean_kappa - other.mean_kappa) as standard_error
    from comparable
    inner join kappas as kappa_a
        on
            comparable.dataset_id = kappa_a.dataset_id
            and comparable.dimension = kappa_a.dimension
            and comparable.template = kappa_a.template
            and comparable.judge_a = kappa_a.judge_id
    inner join kappas as kappa_b
        on
            kappa_a.dataset_id = kappa_b.dataset_id
            and kappa_a.dimension = kappa_b.dimension
            and kappa_a.template = kappa_b.template
            and kappa_a.min_shared_items = kappa_b.min_shared_items
            and comparable.judge_b = kappa_b.judge_id
    inner join {{ ref('int_kappas_replicated') }} as one
        on
            kappa_a.dataset_id = one.dataset_id
            and kappa_a.dimension = one.dimension
            and kappa_a.template = one.template
            and kappa_a.min_shared_items = one.min_shared_items
            and kappa_a.judge_id = one.judge_id
    inner join {{ ref('int_kappas_replicated') }} as other
        on
            one.dataset_id = other.dataset_id
            and one.dimension = other.dimension
            and one.template = other.template
            and one.min_shared_items = other.min_shared_items
            and one.replicate = other.replicate
            and kappa_b.judge_id = other.judge_id
    where comparable.is_comparable
    group by all
),

tested as (
    select
        *,
        case
            when n_units >= {{ var('min_units_for_interval') }} and {{ spread('standard_error') }} > 0
                then student_t_two_sided(
                    difference / standard_error, (n_units - 1)::double
                )
        end as p
    from of_taus
    union all by name
    select
        *,
        case
            when n_units >= {{ var('min_units_for_interval') }} and {{ spread('standard_error') }} > 0
                then normal_two_sided(difference / standard_error)
        end as p
    from of_kappas
),

families as (
    select
        *,
        dense_rank() over (
            order by measure, dataset_id, dimension, template, min_shared_items
        ) as family
    from tested
),

multiplied as (
    select *, {{ benjamini_hochberg_product('p', 'family') }} as p_product
    from families
)

select
    measure,
    dataset_id,
    dimension,
    template,
    min_shared_items,
    judge_a,
    judge_b,
    difference,
    standard_error,
    n_units,
    p,
    {{ benjamini_hochberg('p_product', 'p', 'family') }} as p_adjusted
from multiplied
