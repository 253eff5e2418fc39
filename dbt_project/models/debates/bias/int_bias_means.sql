{#
What a judge says of each debate on the mean over the ways of asking that count alike.
#}
{{ config(meta={'parts_of': 'int_bias_verdicts'}) }}
with

said as not materialized (
    {{ said_of_units() }}
),

counted as (
    select kind, group_id, count(distinct arm_id) as arm_count
    from said
    group by kind, group_id
),

means as (
    select
        kind,
        group_id,
        unit_key,
        cluster_key,
        avg(share) as share,
        avg(vote) as vote,
        kind != 'side' and bool_or(vote is null) as is_split,
        sum(parsed_count)::bigint as parsed_count
    from said
    group by kind, group_id, unit_key, cluster_key
)

select means.*, counted.arm_count
from means
inner join counted using (kind, group_id)
