{#
What each panel decides on each debate with a human winner on which two of its members gave a verdict,
beside what its members would have decided alone. A panel's verdict is a share for Con: 0, 1, or a
half for a tie. Like stands beside like: a panel that votes by choices beside its members' choices
(the majority over repeats), one that averages probabilities beside what each probability decides.
#}
with

units as not materialized (
    select setting_id, debate_key, is_con, con_share, p_pro, human_is_con, cost_usd
    from {{ ref('int_verdict_units') }}
    where human_is_con is not null and con_share is not null
),

seats as (select * from {{ ref('int_verdict_panels_seated') }} where is_whole),

debates as (
    select debate_key, cluster_key, count(*) over (partition by cluster_key) = 1 as is_one_debate
    from {{ ref('int_debates_judged') }}
),

committees as (select * from {{ ref('int_verdict_panels_committees') }}),

second as (select * from seats where kind = 'positions' and position = 'pro_first'),

first as (select * from seats where kind = 'positions' and position = 'con_first'),

pairs as (
    select
        second.panel_key,
        con_second.debate_key,
        con_second.human_is_con,
        con_second.con_share as share_second,
        con_first.con_share as share_first,
        1 - con_second.p_pro as probability_second,
        1 - con_first.p_pro as probability_first,
        con_second.cost_usd + con_first.cost_usd as cost_usd
    from units as con_second
    inner join second on con_second.setting_id = second.setting_id
    inner join first on second.panel_key = first.panel_key
    inner join units as con_first
        on
            first.setting_id = con_first.setting_id
            and con_second.debate_key = con_first.debate_key
),

voted as (
    select
        'majority' as panel,
        panel_key,
        debate_key,
        human_is_con,
        {{ decided_con('con_lead + 0.5') }} as con_share,
        mean_con_share as single_con_share,
        cost_usd,
        cost_usd / votes as single_cost_usd,
        null::double as single_con_share_second,
        null::double as single_con_share_first
    from committees
    where votes >= 2
    union all
    select
        'mean probability',
        panel_key,
        debate_key,
        human_is_con,
        {{ decided_con('1 - mean_p_pro') }},
        mean_con_share_of_them,
        cost_usd_of_them,
        cost_usd_of_them / probabilities,
        null,
        null
    from committees
    where probabilities >= 2
    {% for panel, one in [
        ('both positions', 'share'), ('both positions, probability', 'probability')
    ] %}
        union all
        select
            '{{ panel }}',
            panel_key,
            debate_key,
            human_is_con,
            {{ decided_con('(' ~ one ~ '_second + ' ~ one ~ '_first) / 2') }},
            ({{ decided_con(one ~ '_second') }} + {{ decided_con(one ~ '_first') }}) / 2,
            cost_usd,
            cost_usd / 2,
            {{ decided_con(one ~ '_second') }},
            {{ decided_con(one ~ '_first') }}
        from pairs
        where {{ one }}_second is not null and {{ one }}_first is not null
    {% endfor %}
)

select
    voted.*,
    debates.cluster_key,
    debates.is_one_debate,
    case when human_is_con then con_share else 1 - con_share end as is_right,
    case when human_is_con then single_con_share else 1 - single_con_share end as is_single_right,
    case when human_is_con then single_con_share_second else 1 - single_con_share_second end
        as is_second_right,
    case when human_is_con then single_con_share_first else 1 - single_con_share_first end
        as is_first_right
from voted
inner join debates using (debate_key)
