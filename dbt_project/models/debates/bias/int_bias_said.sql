{#
What each neutral way of asking says of each debate, before it is pooled: a share and a vote for Con; for
position and labels, the difference of two ways that differ in nothing else; for sides, Pro's lead on each
motion. Of a block of settings that is neutral only together, a debate counts where all of them gave a
verdict; a vote, where all have a majority.
#}
{{ config(meta={'parts_of': 'int_verdict_units'}) }}
with

units as not materialized (
    select
        setting_id,
        debate_key,
        cluster_key,
        con_share,
        is_con::tinyint as vote,
        parsed_count
    from {{ ref('int_verdict_units') }}
    where parsed_count > 0
),

arms as (select * from {{ ref('int_bias_arms') }} where {{ in_part('group_id') }}),

pairs as (
    select * from {{ ref('int_bias_pairs') }}
    where is_neutral and {{ in_part('group_id') }}
),

-- Materialized, so that a debate is joined within its pairs only: it is in thousands of settings,
-- and DuckDB does not know that of tables on a lake.
firsts as materialized (
    select
        pairs.bias,
        pairs.group_id,
        pairs.contrast_id,
        pairs.setting_b,
        units.*
    from pairs
    inner join units on pairs.setting_a = units.setting_id
),

verdicts as not materialized (
    select
        arms.group_id,
        arms.block_id,
        arms.block_arm_count,
        units.*
    from units
    inner join arms using (setting_id)
    where arms.is_neutral
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
    'verdict' as kind,
    verdicts.group_id,
    verdicts.setting_id as arm_id,
    verdicts.debate_key as unit_key,
    verdicts.cluster_key,
    verdicts.con_share as share,
    case when verdicts.block_arm_count = 1 or blocks.is_decided then verdicts.vote end as vote,
    verdicts.parsed_count
from verdicts
left join blocks using (block_id, debate_key)
where verdicts.block_arm_count = 1 or blocks.is_decided is not null
union all
select
    one.bias,
    one.group_id,
    one.contrast_id as arm_id,
    one.debate_key,
    one.cluster_key,
    one.con_share - other.con_share,
    one.vote - other.vote,
    one.parsed_count + other.parsed_count
from firsts as one
inner join units as other
    on one.setting_b = other.setting_id and one.debate_key = other.debate_key
union all
select
    'side',
    arms.group_id,
    arms.setting_id as arm_id,
    sides.motion_key as unit_key,
    sides.motion_key as cluster_key,
    sides.pro_lead,
    null,
    sides.parsed_count
from {{ ref('int_side_units') }} as sides
inner join arms using (setting_id)
where sides.pro_lead is not null
