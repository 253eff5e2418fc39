{#
How the members of each panel of several judges voted on each debate with a human winner: one pass
over all units, which is why it is a table.
#}
with

units as (
    select setting_id, debate_key, is_con, con_share, p_pro, human_is_con, cost_usd
    from {{ ref('int_verdict_units') }}
    where human_is_con is not null and con_share is not null
),

seats as (
    select panel_key, setting_id
    from {{ ref('int_verdict_panels_seated') }}
    where is_whole and kind != 'positions'
)

select
    seats.panel_key,
    units.debate_key,
    any_value(units.human_is_con) as human_is_con,
    count(*) as votes,
    count(*) filter (is_con) - count(*) filter (not is_con) as con_lead,
    avg({{ decided_con('con_share') }}) as mean_con_share,
    case when count(cost_usd) = count(*) then sum(cost_usd) end as cost_usd,
    count(p_pro) as probabilities,
    avg(p_pro) as mean_p_pro,
    avg({{ decided_con('1 - p_pro') }}) as mean_con_share_of_them,
    case
        when count(cost_usd) filter (p_pro is not null) = count(p_pro)
            then sum(cost_usd) filter (p_pro is not null)
    end as cost_usd_of_them
from units
inner join seats using (setting_id)
group by seats.panel_key, units.debate_key
