{#
The estimates of a frame and judge from its strata. Answers are less the judge's mean, so that
`share`, `positive_answer` and `negative_answer` are, too: the judge's share of Con on items without a
label, and its mean answer to items that people call Con and Pro.
#}
select
    frame_key,
    setting_key,
    any_value(tuning) as tuning,
    count(*) as n_strata,
    sum(n_items) as n_items,
    sum(n_labelled) as n_labelled,
    sum(n_others) as n_others,
    sum(tied_count) as tied_count,
    min(n_labelled) as fewest_labelled,
    round(sum(n_labelled * label_mean)) as positive_count,
    sum(weight * label_mean) as human_mean,
    sum(weight * coalesce(other_mean - answer_mean, 0)) as answer_shift,
    sum(weight * coalesce(other_mean, answer_mean)) as share,
    sum(positive_weight) as positive_weight,
    sum(negative_weight) as negative_weight,
    sum(positive_sum) / nullif(sum(positive_weight), 0) as positive_answer,
    sum(negative_sum) / nullif(sum(negative_weight), 0) as negative_answer,
    positive_answer - negative_answer as youden,
    (share - negative_answer) / nullif(positive_answer - negative_answer, 0) as corrected
from {{ ref('int_rate_strata') }}
group by frame_key, setting_key
