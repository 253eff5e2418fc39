{#
Sums over the items of a cluster, by stratum: counts of labelled and other items, of labels, of the
judge's answers, and of squares and products. All that the estimates and their variances need. Answers
are less the judge's mean over the frame, so that an item without an answer, which adds nothing, counts
as one with an average answer: whatever a judge does is then a function of the item alone, as the
estimate wants it.
#}
with

answers as (select * from {{ ref('int_rate_answers') }}),

settings as (
    select frame_key, setting_key, avg(answer) as mean_answer
    from answers
    group by frame_key, setting_key
),

-- What is the same for every judge.
items as (
    select
        frame_key,
        stratum,
        cluster_key,
        any_value(task) != 'speeches' as is_share,
        count(label) as n_labelled,
        count(*) - count(label) as n_others,
        coalesce(sum(label), 0) as label_sum,
        coalesce(sum(label ^ 2), 0) as label_squares,
        count(*) filter (label not in (0, 1)) as tied_count
    from {{ ref('int_rate_frames') }}
    group by frame_key, stratum, cluster_key
),

centred as (
    select answers.* replace (answers.answer - settings.mean_answer as answer)
    from answers
    inner join settings using (frame_key, setting_key)
),

said as (
    select
        frame_key,
        setting_key,
        stratum,
        cluster_key,
        sum(answer) filter (label is not null) as answer_sum,
        sum(answer) filter (label is null) as other_sum,
        sum(label * answer) as product_sum,
        sum(answer ^ 2) filter (label is not null) as answer_squares,
        sum(answer ^ 2) filter (label is null) as other_squares
    from centred
    group by frame_key, setting_key, stratum, cluster_key
)

select
    settings.frame_key,
    settings.setting_key,
    items.* exclude (frame_key),
    {{ or_zero([
        'answer_sum', 'other_sum', 'product_sum', 'answer_squares', 'other_squares'
    ], of='said') }}
from settings
inner join items using (frame_key)
left join said using (frame_key, setting_key, stratum, cluster_key)
