with

datasets as (select * from {{ ref('stg_raw__datasets') }}),

speech_counts as (
    select dataset_id, count(*) as item_count, count(distinct debate_id) as debate_count
    from {{ ref('stg_raw__speeches') }}
    group by all
),

rating_counts as (
    select dataset_id, count(*) as rating_count, count(distinct annotator_id) as annotator_count
    from {{ ref('stg_raw__human_ratings') }}
    where is_reader is not true
    group by all
),

rejected_counts as (
    select source as dataset_id, count(*) as quarantined_count
    from {{ ref('stg_raw__quarantine') }}
    group by all
)

select
    datasets.* exclude (policy),
    datasets.policy as label_policy,
    coalesce(item_count, 0)::bigint as item_count,
    coalesce(debate_count, 0)::bigint as debate_count,
    coalesce(annotator_count, 0)::bigint as annotator_count,
    coalesce(rating_count, 0)::bigint as rating_count,
    coalesce(quarantined_count, 0)::bigint as quarantined_count
from datasets
left join speech_counts using (dataset_id)
left join rating_counts using (dataset_id)
left join rejected_counts using (dataset_id)
