{#
The best subsets of judges of each size and pooling, on the speeches they were chosen on: what a list
like this flatters, rpt_ensemble_search says.
#}
with

subsets as (
    select
        *,
        dense_rank() over (
            order by dataset_id, dimension, template, search_size, search_pooling, subset_rank
        ) as subset_key
    from {{ ref('int_ensembles_searched') }}
    where subset_rank is not null
),

members as (
    select subset_key, dataset_id, dimension, template, unnest(members) as judge_id from subsets
),

-- Unknown where the price of one member is.
costs as (
    select
        members.subset_key,
        case
            when count(judges.cost_per_item_usd) = count(*) then sum(judges.cost_per_item_usd)
        end as cost_per_item_usd
    from members
    inner join {{ ref('int_ensemble_judges') }} as judges
        using (dataset_id, dimension, template, judge_id)
    group by all
)

select
    subsets.dataset_id,
    subsets.dimension,
    subsets.template,
    subsets.search_size,
    subsets.search_pooling,
    subsets.subset_rank,
    array_to_string(subsets.members, ', ') as members,
    subsets.member_count,
    subsets.pooling,
    subsets.tau_c_on_scale,
    subsets.tau_c,
    subsets.tau_c_low,
    subsets.tau_c_high,
    subsets.best_member_id,
    subsets.best_member_tau_c,
    subsets.tau_c_on_scale - subsets.best_member_tau_c_on_scale as tau_c_on_scale_minus_best_member,
    subsets.value_count,
    subsets.best_member_value_count,
    kappas.mean_kappa,
    coalesce(kappas.pair_count, 0) as pair_count,
    costs.cost_per_item_usd,
    subsets.n_items,
    subsets.n_units
from subsets
left join costs using (subset_key)
left join {{ ref('int_ensemble_kappas') }} as kappas
    using (dataset_id, dimension, template, search_size, search_pooling, subset_rank)
