{#
How much more often than half the time Pro wins a motion that the same debaters argued twice, sides
exchanged: who argues better cancels. What the motion itself gives a side, who closes and who is named
first do not cancel.
#}
with

debaters as (
    select
        debate_id,
        side,
        string_agg(distinct speaker, ' & ' order by speaker) as team,
        count(speaker) = count(*) as is_known
    from {{ ref('stg_raw__speeches') }}
    where side in ('pro', 'con') and coalesce(speaker_role, 'debater') = 'debater'
    group by debate_id, side
),

debates as (select debate_id, dataset_id, motion from {{ ref('stg_raw__debates') }}),

judged as (select debate_id, debate_key from {{ ref('int_debates_judged') }}),

matched as (
    select
        judged.debate_key,
        dense_rank() over (order by debates.dataset_id, debates.motion) as motion_key,
        least(pro.team, con.team) || ' | ' || greatest(pro.team, con.team) as opponents,
        pro.team < con.team as is_first_pro
    from debates
    inner join judged using (debate_id)
    inner join debaters as pro on debates.debate_id = pro.debate_id and pro.side = 'pro'
    inner join debaters as con on debates.debate_id = con.debate_id and con.side = 'con'
    where pro.is_known and con.is_known and pro.team != con.team
),

exchanged as (
    select *
    from matched
    window of_opponents as (partition by motion_key, opponents)
    qualify
        count(*) filter (is_first_pro) over of_opponents > 0
        and count(*) filter (not is_first_pro) over of_opponents > 0
),

said as (
    select setting_id, debate_key, 1 - con_share as pro_share, parsed_count
    from {{ ref('int_verdict_units') }}
    where parsed_count > 0
),

-- Of a motion argued several times one way, the debates of that way count as one.
of_opponents as (
    select
        said.setting_id,
        exchanged.motion_key,
        exchanged.opponents,
        (
            avg(said.pro_share) filter (exchanged.is_first_pro)
            + avg(said.pro_share) filter (not exchanged.is_first_pro)
        ) / 2 as pro_share,
        sum(said.parsed_count)::bigint as parsed_count
    from exchanged
    inner join said using (debate_key)
    group by said.setting_id, exchanged.motion_key, exchanged.opponents
)

select
    setting_id,
    motion_key,
    avg(pro_share) - 0.5 as pro_lead,
    coalesce(sum(parsed_count) filter (pro_share is not null), 0)::bigint as parsed_count
from of_opponents
group by setting_id, motion_key
