{#
Per stratum of a frame and judge: its weight in the frame, the mean of the labels, and the means of the
judge's answers on labelled and on other items. `tuning` is the judge's power-tuned weight, the same in
all strata.
#}
with strata as (
    select
        frame_key,
        setting_key,
        stratum,
        sum(n_labelled) as n_labelled,
        sum(n_others) as n_others,
        sum(n_labelled + n_others) as n_items,
        sum(n_labelled + n_others)
        / sum(sum(n_labelled + n_others)) over (partition by frame_key, setting_key) as weight,
        sum(label_sum) / nullif(sum(n_labelled), 0) as label_mean,
        sum(answer_sum) / nullif(sum(n_labelled), 0) as answer_mean,
        sum(other_sum) / nullif(sum(n_others), 0) as other_mean,
        sum(product_sum) / nullif(sum(n_labelled), 0) as product_mean,
        sum(tied_count) as tied_count,
        {{ pooled_variance() }} as answer_variance
    from {{ ref('int_rate_clusters') }}
    group by frame_key, setting_key, stratum
)

select
    *,
    {{ tuned_weight('over (partition by frame_key, setting_key)') }} as tuning,
    -- Of the positive and of the negative labels: their weight, and that of the answers to them.
    weight * label_mean as positive_weight,
    weight * (1 - label_mean) as negative_weight,
    weight * product_mean as positive_sum,
    weight * (answer_mean - product_mean) as negative_sum
from strata
