{#
The items that a rate is about: the frame of each random sample, with the people's label of each item
that was drawn; and, for what judges answered without any sample, the items they answered, without
labels. A frame of several speakers is also one frame each.
#}
with

samples as (select * from {{ ref('int_samples_filled') }}),

labels as (
    select sample_id, item_id, avg(value) as value, count(value) as label_count
    from {{ ref('int_sample_labels') }}
    group by all
),

judged as (
    select task, dataset_id, dimension, instance_id as item_id, any_value(cluster_id) as cluster_id
    from {{ ref('int_annotations_judges') }}
    group by all
    union all
    select distinct 'questions', dataset_id, metric, answer_id, question_id
    from {{ ref('int_dispute_scores') }}
    where metric = {{ dispute_awareness() }}
),

places as (
    select item_id, debate_id as cluster_id, source
    from {{ ref('stg_raw__speeches') }}
    where side is null
    union all
    select
        debate_id as item_id, coalesce(cluster_id, debate_id) as cluster_id, null::varchar as source
    from {{ ref('stg_raw__debates') }}
    union all
    select answer_id, question_id, judge_id
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
),

items as (
    select
        samples.sample_id,
        samples.task,
        samples.dataset_id,
        samples.dimension,
        items.item_id,
        items.stratum,
        items.position <= samples.n_drawn as is_drawn,
        case
            when items.position <= samples.n_drawn
                then case samples.task
                    when 'speeches' then labels.value else {{ decided_con('labels.value') }}
                end
        end as label
    from {{ ref('stg_raw__sampled_items') }} as items
    inner join samples using (sample_id)
    left join labels using (sample_id, item_id)
    union all
    select null, task, dataset_id, dimension, item_id, 'all', false, null
    from judged
    anti join samples using (task, dataset_id, dimension)
),

placed as (
    select
        items.*,
        places.source,
        hash(places.cluster_id) as cluster_key,
        hash(items.item_id) as item_key,
        count(distinct places.source) over (partition by sample_id, task, dataset_id, dimension)
        > 1 as has_sources
    from items
    inner join places using (item_id)
),

framed as (
    select * exclude (source, has_sources), null::varchar as source
    from placed
    union all
    select * exclude (source, has_sources), source
    from placed
    where has_sources
)

select *, hash(sample_id, task, dataset_id, dimension, source) as frame_key
from framed
