{# The speeches that every judge searched among has scored, with all their scores. #}
with

judges as (select * from {{ ref('int_ensemble_judges') }} where is_searched),

scores as (
    select
        judges.panel_id,
        judges.judge_id,
        item_scores.item_id,
        item_scores.debate_id,
        item_scores.score,
        round(human_means.human_mean, 9) as human_mean
    from {{ ref('int_item_scores') }} as item_scores
    inner join judges using (dataset_id, dimension, template, judge_id)
    inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
    where item_scores.failure_rule = {{ excluded() }}
),

sizes as (select panel_id, count(*) as n_judges from judges group by all),

shared as (
    select scores.*
    from scores
    inner join sizes using (panel_id)
    qualify count(*) over (partition by panel_id, item_id) = sizes.n_judges
)

select
    *,
    dense_rank() over (partition by panel_id order by debate_id) - 1 as topic_index,
    topic_index % {{ var('jackknife_groups') }} as group_index
from shared
