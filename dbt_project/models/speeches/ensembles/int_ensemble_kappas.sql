{#
Swap-in kappas of the listed subsets: the pooled score in the place of each person of a pair, on the
pair's shared speeches, averaged over all pairs with enough of them.
#}
with

subsets as (
    select
        dataset_id,
        dimension,
        template,
        search_size,
        search_pooling,
        subset_rank,
        pooling,
        unnest(members) as judge_id
    from {{ ref('int_ensembles_searched') }}
    where subset_rank is not null
),

pooled as (
    select
        subsets.* exclude (pooling, judge_id),
        scores.item_id,
        case any_value(subsets.pooling)
            when 'median' then median(scores.score)
            when 'rounded_mean' then round_even(round(avg(scores.score), 12), 0)
            else avg(scores.score)
        end as score
    from subsets
    inner join {{ ref('int_ensemble_panels') }} as panels using (dataset_id, dimension, template)
    inner join {{ ref('int_ensemble_scores') }} as scores using (panel_id, judge_id)
    group by all
),

kappas as (
    select
        pooled.* exclude (item_id, score),
        shared_items.annotator_a,
        shared_items.annotator_b,
        {{ swap_in_sums('pooled.score') }},
        {{ swap_in_kappas() }}
    from pooled
    inner join {{ ref('int_shared_ratings') }} as shared_items
        using (dataset_id, dimension, item_id)
    group by all
    having count(*) >= {{ kappa_min_shared() }}
)

select
    dataset_id,
    dimension,
    template,
    search_size,
    search_pooling,
    subset_rank,
    (coalesce(sum(kappa_a), 0) + coalesce(sum(kappa_b), 0))
    / nullif(count(kappa_a) + count(kappa_b), 0) as mean_kappa,
    count(*) as pair_count
from kappas
group by all
