{#
The items that a rate is about: the frame of each random sample, with the people's label of each item
that was drawn; and, for what judges answered without any sample, the items they answered, without
labels. A frame of several speakers is also one frame each; that of a log of debates one for each pair of
debaters, about the share that the first of them wins: where it argued for Pro, labels and answers are
turned round.
#}
with

samples as (select * from {{ ref('int_samples_filled') }}),

labels as (
    select sample_id, item_id, avg(value) as value, count(value) as label_count
    from {{ ref('int_sample_labels') }}
    group by all
),

judged as (
    select distinct task, dataset_id, dimension, instance_id as item_id
    from {{ ref('int_annotations_judges') }}
    anti join samples using (task, dataset_id, dimension)
    union all
    select distinct 'questions', dataset_id, metric, answer_id
    from {{ ref('int_dispute_scores') }}
    where metric = {{ dispute_awareness() }}
    union all
    select distinct 'debates', dataset_id, 'winner', debate_id
    from {{ loaded('logged_verdicts') }}
),

places as (
    -- Whether the first of a pair of debaters argued for Pro; null where there is no such pair.
    select item_id, debate_id as cluster_id, source, null::boolean as is_turned
    from {{ ref('stg_raw__speeches') }}
    where side is null
    union all
    select
        debate_id as item_id,
        coalesce(cluster_id, debate_id) as cluster_id,
        null::varchar as source,
        null as is_turned
    from {{ ref('stg_raw__debates') }}
    union all
    select answer_id, question_id, judge_id, null
    from {{ ref('int_answers_current') }}
    where is_current and not is_stale
    union all
    select
        debate_id,
        any_value(motion),
        any_value({{ pair_of_debaters() }}),
        any_value(pro_debater < con_debater)
    from {{ loaded('logged_verdicts') }}
    group by debate_id
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
    from {{ loaded('sampled_items') }} as items
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
        places.is_turned,
        hash(places.cluster_id) as cluster_key,
        hash(items.task, items.dataset_id, items.dimension, items.item_id) as item_key,
        places.is_turned is not null
        or count(distinct places.source) over (partition by sample_id, task, dataset_id, dimension)
        > 1 as has_sources
    from items
    inner join places using (item_id)
),

framed as (
    select * exclude (source, has_sources) replace (false as is_turned), null::varchar as source
    from placed
    union all
    select
        * exclude (source, has_sources)
        replace (case when is_turned then 1 - label else label end as label),
        source
    from placed
    where has_sources
)

select *, hash(sample_id, task, dataset_id, dimension, source) as frame_key
from framed
