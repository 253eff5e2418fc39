{#
Series averaged to one estimate per judge, failure rule and role: the pooled series is its own
average, the annotators' series count the same each. Undefined series are left out, and counted.
#}
select
    dataset_id,
    dimension,
    judge_id,
    template,
    failure_rule,
    role,
    avg(tau_c) as tau_c,
    avg(tau_b) as tau_b,
    avg(spearman) as spearman,
    avg(pearson) as pearson,
    count(*) as n_series,
    count(*) - count(tau_c) as undefined_series_count,
    max(n) as n_items
from {{ ref('int_rank_statistics') }}
group by all
