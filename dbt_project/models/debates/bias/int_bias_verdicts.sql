{#
What each neutral way of asking says of each debate, before it is pooled. Of a block of settings that is
neutral only together, a debate counts where all of them gave a verdict; a vote, where all have a majority.
#}
{{ config(meta={'parts_of': 'int_verdict_units'}) }}
with

arms as (
    select setting_id, group_id, block_id, block_arm_count
    from {{ ref('int_bias_arms') }}
    where is_neutral and {{ in_part('group_id') }}
),

verdicts as not materialized (
    select
        arms.group_id,
        arms.block_id,
        arms.block_arm_count,
        units.setting_id,
        units.debate_key,
        units.cluster_key,
        units.con_share as share,
        units.is_con::tinyint as vote,
        units.parsed_count
    from {{ ref('int_verdict_units') }} as units
    inner join arms using (setting_id)
    where units.parsed_count > 0
),

-- Grouped and joined: a window over millions of small blocks takes many times as long.
blocks as (
    select block_id, debate_key, count(vote) = count(*) as is_decided
    from verdicts
    where block_arm_count > 1
    group by block_id, debate_key
    having count(*) = any_value(block_arm_count)
)

select
    verdicts.group_id,
    verdicts.setting_id as arm_id,
    verdicts.debate_key as unit_key,
    verdicts.cluster_key,
    verdicts.share,
    case when verdicts.block_arm_count = 1 or blocks.is_decided then verdicts.vote end as vote,
    verdicts.parsed_count
from verdicts
left join blocks using (block_id, debate_key)
where verdicts.block_arm_count = 1 or blocks.is_decided is not null
