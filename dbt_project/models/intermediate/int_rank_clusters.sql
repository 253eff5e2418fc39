{#
Which group of clusters each observation is deleted with. One group per cluster (the topic) up to
var('jackknife_groups') of them, and that many groups of clusters beyond.
#}
with

clusters as (
    select
        dataset_id,
        debate_id,
        row_number() over (partition by dataset_id order by debate_id) as cluster_index
    from (select distinct dataset_id, debate_id from {{ ref('int_rank_observations') }})
)

select dataset_id, debate_id, cluster_index % {{ var('jackknife_groups') }} as group_index
from clusters
