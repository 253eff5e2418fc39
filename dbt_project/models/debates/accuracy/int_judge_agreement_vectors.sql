{#
How two judges' majorities fall together in each cluster of several debates, such as twins. Clusters
with the same counts become one row: whatever else is left out of a jackknife, they act alike.
#}
with

units as (select * from {{ ref('int_judge_agreement_units') }} where not is_one_debate),

shared_clusters as (
    select
        one.setting_id as setting_a,
        other.setting_id as setting_b,
        one.cluster_key,
        count(*) filter (one.is_con and other.is_con) as both_con,
        count(*) filter (one.is_con and not other.is_con) as only_a_con,
        count(*) filter (not one.is_con and other.is_con) as only_b_con,
        count(*) filter (not one.is_con and not other.is_con) as both_pro,
        count(*) filter (one.is_con is null or other.is_con is null) as split_count
    from units as one
    inner join units as other
        on
            one.group_key = other.group_key
            and one.debate_key = other.debate_key
            and one.setting_id < other.setting_id
    group by all
)

select * exclude (cluster_key), count(*) as n_clusters
from shared_clusters
group by all
