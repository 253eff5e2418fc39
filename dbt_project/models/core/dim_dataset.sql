with

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
    from {{ source('raw', 'quarantine') }}
    group by all
)

select
    datasets.* exclude (policy),
    datasets.policy as label_policy,
    {{ or_zero([
        'item_count', 'debate_count', 'annotator_count', 'rating_count', 'quarantined_count'
    ], type='bigint') }}
from {{ ref('stg_raw__datasets') }} as datasets
left join speech_counts using (dataset_id)
left join rating_counts using (dataset_id)
left join rejected_counts using (dataset_id)
