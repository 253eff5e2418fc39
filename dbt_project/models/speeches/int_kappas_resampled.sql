{#
Bootstrap intervals of the mean kappas, and of their difference from the humans', which share the draws.
#}
select
    dataset_id,
    dimension,
    judge_id,
    template,
    min_shared_items,
    max(n_units) as n_units,
    {{ percentile_bound('mean_kappa', 0.025, 'n_units') }} as kappa_low,
    {{ percentile_bound('mean_kappa', 0.975, 'n_units') }} as kappa_high,
    {{ percentile_bound('mean_kappa - mean_kappa_human', 0.025, 'n_units') }} as difference_low,
    {{ percentile_bound('mean_kappa - mean_kappa_human', 0.975, 'n_units') }} as difference_high
from {{ ref('int_kappas_replicated') }}
group by all
