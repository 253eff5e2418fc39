{#
Variances of the estimates, linearised by cluster: sums over clusters of the square of what each
contributes to an estimate's error. `corrected_independent` is that of the corrected share if every item
were a cluster.
#}
with

parts as (
    select
        clusters.frame_key,
        clusters.setting_key,
        clusters.cluster_key,
        any_value(totals.tuning) as tuning,
        sum(clusters.n_labelled) as n_labelled,
        sum(clusters.n_labelled + clusters.n_others) as n_items,
        sum({{ label_influence() }}) as label_part,
        sum({{ answer_influence() }}) as answer_part,
        sum({{ corrected_influence() }}) as corrected_part,
        sum({{ corrected_squares() }}) as corrected_squares
    from {{ ref('int_rate_clusters') }} as clusters
    inner join {{ ref('int_rate_strata') }} as strata using (frame_key, setting_key, stratum)
    inner join {{ ref('int_rate_totals') }} as totals using (frame_key, setting_key)
    where totals.fewest_labelled > 0
    group by all
)

select
    frame_key,
    setting_key,
    count(*) filter (n_labelled > 0) as n_clusters,
    max(n_items) > 1 as is_clustered,
    sum(label_part ^ 2) as human_squares,
    sum((label_part + tuning * answer_part) ^ 2) as rate_squares,
    sum(corrected_part ^ 2) as corrected_clustered,
    sum(corrected_squares) as corrected_independent
from parts
group by frame_key, setting_key
