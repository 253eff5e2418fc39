{#
Every pair of values that enters a rank correlation, as series of (x, y):

- pooled: a judge's scores against the mean of all human ratings, per failure rule
- pooled_on_both: the same, on the items it scored with reasons and without them
- pooled_on_ground: the same, on the items that another judge asked alike has scored too
- human: one annotator's ratings against the mean of the others on the annotator's own items
- judge_on_human_items: a judge against those same means on those same items
- human_on_judged_items: the annotator again, on the items this judge has scored, where it has not
  scored them all

Means are rounded to nine decimals for ties alone: equal means of fractional ratings must tie in
whatever order they were summed.
#}
with

judges as (select * from {{ ref('int_rank_judges') }}),

ratings as (select * from {{ ref('int_ratings_indexed') }}),

item_means as (
    select panel_index, item_index, sum(value) as rating_sum, count(*) as n_ratings
    from ratings
    group by all
),

item_keys as (select distinct dataset_id, dimension, item_id, panel_index, item_index from ratings),

scores as (
    select
        judges.judge_index,
        judges.panel_index,
        judges.failure_rule,
        judges.is_complete,
        item_keys.item_index,
        round(item_scores.score, 9) as score
    from {{ ref('int_item_scores') }} as item_scores
    inner join judges using (dataset_id, dimension, judge_id, template, failure_rule)
    inner join item_keys using (dataset_id, dimension, item_id)
),

others as (
    select
        ratings.panel_index,
        ratings.item_index,
        ratings.annotator_index,
        ratings.value,
        round((rating_sum - ratings.value) / (n_ratings - 1), 9) as mean_of_others
    from ratings
    inner join item_means using (panel_index, item_index)
    where n_ratings > 1
),

pooled as (
    select
        scores.judge_index,
        'pooled' as role,
        0 as annotator_index,
        0 as ground_index,
        scores.item_index,
        scores.score as x,
        round(rating_sum / n_ratings, 9) as y
    from scores
    inner join item_means using (panel_index, item_index)
),

pooled_on_both as (
    select
        pooled.judge_index, {{ pooled_on_both() }} as role, 0 as annotator_index,
        0 as ground_index, pooled.item_index, pooled.x, pooled.y
    from pooled
    inner join judges using (judge_index)
    inner join {{ ref('int_prompt_pairs') }} as prompt_pairs
        on
            judges.dataset_id = prompt_pairs.dataset_id
            and judges.dimension = prompt_pairs.dimension
            and judges.judge_id = prompt_pairs.judge_id
            and judges.template in (
                prompt_pairs.template_plain, prompt_pairs.template_justified
            )
    inner join item_keys
        on
            judges.panel_index = item_keys.panel_index
            and pooled.item_index = item_keys.item_index
    inner join {{ ref('int_prompt_items') }} as prompt_items
        on
            prompt_pairs.prompt_pair_id = prompt_items.prompt_pair_id
            and item_keys.item_id = prompt_items.item_id
    where judges.failure_rule = {{ excluded() }} and prompt_items.is_scored_by_both
),

grounds as (
    select distinct
        ground_index,
        unnest([index_a, index_b]) as judge_index,
        item_indices
    from {{ ref('int_judge_grounds') }}
),

ground_items as (
    select ground_index, judge_index, unnest(item_indices) as item_index from grounds
),

pooled_on_ground as (
    select
        pooled.judge_index, {{ pooled_on_ground() }} as role, 0 as annotator_index,
        ground_items.ground_index, pooled.item_index, pooled.x, pooled.y
    from pooled
    inner join ground_items using (judge_index, item_index)
),

annotators as (
    select panel_index, annotator_index
    from others
    group by all
    having count(*) >= {{ var('min_items_per_annotator') }}
),

human as (
    select
        judges.judge_index,
        'human' as role,
        others.annotator_index,
        0 as ground_index,
        others.item_index,
        others.value as x,
        others.mean_of_others as y
    from others
    inner join annotators using (panel_index, annotator_index)
    inner join judges using (panel_index)
    where judges.judge_id = {{ human() }}
),

judged as (
    select
        scores.judge_index,
        scores.is_complete,
        others.* exclude (panel_index),
        scores.score
    from others
    inner join annotators using (panel_index, annotator_index)
    inner join scores using (panel_index, item_index)
    where scores.failure_rule = {{ excluded() }}
),

-- Where a judge lacks scores, an annotator may fall below the minimum on the items that are left.
judged_annotators as (
    select judge_index, annotator_index
    from judged
    where not is_complete
    group by all
    having count(*) >= {{ var('min_items_per_annotator') }}
),

comparable as (
    select judged.*
    from judged
    left join judged_annotators using (judge_index, annotator_index)
    where judged.is_complete or judged_annotators.judge_index is not null
),

observations as (
    select * from pooled
    union all
    select * from pooled_on_both
    union all
    select * from pooled_on_ground
    union all
    select * from human
    union all
    select
        judge_index, 'judge_on_human_items' as role, annotator_index, 0 as ground_index,
        item_index, score as x,
        mean_of_others as y
    from comparable
    union all
    select
        judge_index, 'human_on_judged_items' as role, annotator_index, 0 as ground_index,
        item_index, value as x,
        mean_of_others as y
    from comparable
    where not is_complete
),

series as (
    select
        judge_index,
        role,
        annotator_index,
        ground_index,
        row_number()
            over (order by judge_index, role, annotator_index, ground_index)
            as series_index
    from (select distinct judge_index, role, annotator_index, ground_index from observations)
)

select
    series.series_index,
    observations.*
from observations
inner join series using (judge_index, role, annotator_index, ground_index)
