{#
Sums over the items of a cluster, by stratum: counts of labelled and other items, of labels, of the
judge's answers (less their mean over the frame), and of squares and products. All that the estimates
and their variances need.
#}
with

frames as (select * from {{ ref('int_rate_frames') }}),

answers as (select * from {{ ref('int_rate_answers') }}),

settings as (
    select frame_key, setting_key, any_value(mean_answer) as mean_answer, count(*) as answer_count
    from answers
    group by all
),

items as (
    select
        frames.frame_key,
        settings.setting_key,
        frames.stratum,
        frames.cluster_key,
        frames.label,
        coalesce(answers.answer, 0.0) as answer
    from frames
    inner join settings using (frame_key)
    left join answers using (frame_key, setting_key, item_key)
)

select
    frame_key,
    setting_key,
    stratum,
    cluster_key,
    count(label) as n_labelled,
    count(*) - count(label) as n_others,
    coalesce(sum(label), 0) as label_sum,
    coalesce(sum(answer) filter (label is not null), 0) as answer_sum,
    coalesce(sum(answer) filter (label is null), 0) as other_sum,
    coalesce(sum(label * answer), 0) as product_sum,
    coalesce(sum(answer ^ 2) filter (label is not null), 0) as answer_squares,
    coalesce(sum(answer ^ 2) filter (label is null), 0) as other_squares,
    coalesce(sum(label * answer ^ 2), 0) as product_squares,
    count(*) filter (label not in (0, 1)) as tied_count
from items
group by all
