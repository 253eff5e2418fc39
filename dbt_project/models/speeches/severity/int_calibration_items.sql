{#
Scores beside human means, with the fold each topic is predicted in. Folds are dealt in a seeded order
of all rated topics, so that every judge has the same.
#}
with

topics as (
    select distinct human_means.dataset_id, human_means.dimension, speeches.debate_id
    from {{ ref('int_human_means') }} as human_means
    inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
),

folds as (
    select
        *,
        row_number() over (
            partition by dataset_id, dimension
            order by md5('{{ var("bootstrap_seed") }} ' || debate_id), debate_id
        ) % {{ var('calibration_folds') }} as fold
    from topics
),

clusters as (select distinct debate_id, group_index from {{ ref('int_rank_clusters') }})

select
    dense_rank() over (
        order by
            item_scores.dataset_id, item_scores.dimension, item_scores.judge_id,
            item_scores.template
    ) as series_id,
    item_scores.* exclude (failure_rule, debate_id, n_answers),
    folds.debate_id,
    clusters.group_index,
    folds.fold,
    human_means.human_mean
from {{ ref('int_item_scores') }} as item_scores
inner join {{ ref('int_human_means') }} as human_means using (dataset_id, dimension, item_id)
inner join {{ ref('stg_raw__speeches') }} as speeches using (item_id)
inner join folds
    on
        item_scores.dataset_id = folds.dataset_id
        and item_scores.dimension = folds.dimension
        and speeches.debate_id = folds.debate_id
inner join clusters on speeches.debate_id = clusters.debate_id
where item_scores.failure_rule = {{ excluded() }}
