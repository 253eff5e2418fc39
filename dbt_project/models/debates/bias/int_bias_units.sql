{#
What the pooled tests are made of: each debate once per judge, with the mean over the ways of asking that
count alike, and each way of asking as far as it departs from that mean. Of a block of settings that is
neutral only together, a debate counts where all of them gave a verdict; a vote, where all have a majority.
#}
{{ config(meta={'parts_of': 'int_verdict_units'}) }}
with

units as (
    select
        setting_id,
        debate_key,
        cluster_key,
        con_share,
        is_con::integer::double as vote,
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

verdicts as (
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
),

said as (
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
),

pooled as (
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
),

counted as (
    select kind, group_id, count(distinct arm_id) as arm_count
    from said
    group by kind, group_id
),

gathered as (
    select *, null::bigint as arm_id from pooled
    union all by name
    select
        said.kind,
        said.group_id,
        said.arm_id::bigint as arm_id,
        said.unit_key,
        said.cluster_key,
        said.share - pooled.share as share,
        said.vote - pooled.vote as vote,
        pooled.is_split,
        said.parsed_count
    from said
    inner join pooled using (kind, group_id, unit_key)
    inner join counted using (kind, group_id)
    where counted.arm_count > 1
),

debates as (
    select
        'verdict' as kind,
        debate_key as unit_key,
        case human_winner when 'con' then 1.0 when 'pro' then 0.0 end as human,
        end_side,
        log2_length_ratio as doublings
    from {{ ref('int_debates_judged') }}
)

-- People cancel in departures from the mean.
select
    gathered.*,
    case when gathered.arm_id is null then debates.human else 0 end as baseline,
    debates.human,
    debates.end_side,
    debates.doublings
from gathered
left join debates using (kind, unit_key)
