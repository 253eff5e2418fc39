{#
Every pair of values that enters a rank correlation, as series of (x, y):

- pooled: a judge's scores against the mean of all human ratings, per failure rule
- human: one annotator's ratings against the mean of the others on the annotator's own items
- judge_on_human_items: a judge against those same means on those same items
- human_on_judged_items: the annotator again, on the items this judge has scored

Means are rounded to nine decimals for ties alone: equal means of fractional ratings must tie in
whatever order they were summed.
#}
with

ratings as (select * from {{ ref('stg_raw__human_ratings') }}),

human_means as (select * from {{ ref('int_human_means') }}),

item_scores as (select * from {{ ref('int_item_scores') }}),

speeches as (select item_id, debate_id from {{ ref('stg_raw__speeches') }}),

others as (
    select
        ratings.dataset_id,
        ratings.dimension,
        ratings.annotator_id,
        ratings.item_id,
        ratings.value,
        round((rating_sum - ratings.value) / (n_ratings - 1), 9) as mean_of_others
    from ratings
    inner join human_means using (dataset_id, dimension, item_id)
    where n_ratings > 1
),

pooled as (
    select
        dataset_id,
        dimension,
        judge_id,
        template,
        failure_rule,
        'pooled' as role,
        '' as annotator_id,
        item_id,
        round(score, 9) as x,
        round(human_mean, 9) as y
    from item_scores
    inner join human_means using (dataset_id, dimension, item_id)
),

human as (
    select
        dataset_id,
        dimension,
        {{ human() }} as judge_id,
        {{ human() }} as template,
        {{ excluded() }} as failure_rule,
        'human' as role,
        annotator_id,
        item_id,
        value as x,
        mean_of_others as y
    from others
    qualify
        count(*) over (partition by dataset_id, dimension, annotator_id)
        >= {{ var('min_items_per_annotator') }}
),

judged as (
    select others.*, item_scores.judge_id, item_scores.template, item_scores.score
    from others
    inner join item_scores using (dataset_id, dimension, item_id)
    where item_scores.failure_rule = {{ excluded() }}
    qualify
        count(*) over (
            partition by dataset_id, dimension, annotator_id, judge_id, template
        ) >= {{ var('min_items_per_annotator') }}
),

judge_on_human_items as (
    select
        dataset_id, dimension, judge_id, template, {{ excluded() }} as failure_rule,
        'judge_on_human_items' as role, annotator_id, item_id, round(score, 9) as x, mean_of_others as y
    from judged
),

human_on_judged_items as (
    select
        dataset_id, dimension, judge_id, template, {{ excluded() }} as failure_rule,
        'human_on_judged_items' as role, annotator_id, item_id, value as x, mean_of_others as y
    from judged
),

observations as (
    select * from pooled
    union all
    select * from human
    union all
    select * from judge_on_human_items
    union all
    select * from human_on_judged_items
)

select
    observations.*,
    speeches.debate_id,
    hash(dataset_id, dimension, judge_id, template, failure_rule, role, annotator_id) as series_id
from observations
inner join speeches using (item_id)
