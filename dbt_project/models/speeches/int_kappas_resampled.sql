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
    {{ percentile_ends('mean_kappa', 'n_units', 'kappa') }},
    {{ percentile_ends('kappa_minus_human', 'n_units', 'difference') }}
from {{ ref('int_kappas_replicated') }}
group by all
