{%- set singles = [
    'single_accuracy', 'single_accuracy_con_second', 'single_accuracy_con_first'
] -%}
with

voted as (
    select * from {{ ref('int_verdict_panels_voted') }} where panel not like 'both positions%'
),

ways as (
    select kind, panel
    from (
        values
        ('models', 'majority'), ('models', 'mean probability'),
        ('ensemble', 'majority'), ('ensemble', 'mean probability'),
        ('positions', 'both positions'), ('positions', 'both positions, probability')
    ) as way (kind, panel)
),

panels as (
    select
        ways.panel,
        seats.panel_key,
        {{ alike_in_group([
            'experiment', 'dataset_id', 'panel_name', 'is_whole', 'asked_otherwise', 'asked',
            'variant_id', 'position'
        ], of='seats') }},
        max(seats.seat_variant_id) filter (seats.position = 'pro_first') as variant_con_second,
        max(seats.seat_variant_id) filter (seats.position = 'con_first') as variant_con_first,
        count(distinct seats.judge_id) as judge_count,
        string_agg(distinct seats.judge_id, ', ' order by seats.judge_id) as members
    from {{ ref('int_verdict_panels_seated') }} as seats
    inner join ways using (kind)
    where ways.panel not like '%probability' or seats.is_probability_given
    group by ways.panel, seats.panel_key
    having ways.panel not like '%probability' or count(*) >= 2
),

-- The same panel asked with Con second and with Con first, on the debates it decided both times.
siblings as (
    select
        con_second.panel,
        con_second.panel_key as panel_key_second,
        con_first.panel_key as panel_key_first
    from panels as con_second
    inner join panels as con_first
        using (panel, experiment, dataset_id, panel_name, members, asked_otherwise)
    where
        con_second.panel not like 'both positions%'
        and con_second.position = 'pro_first'
        and con_first.position = 'con_first'
),

compared as (
    select
        siblings.panel,
        siblings.panel_key_second,
        siblings.panel_key_first,
        avg(con_second.con_share - con_first.con_share) as con_share_difference,
        avg(con_second.single_con_share - con_first.single_con_share)
            as single_con_share_difference
    from siblings
    inner join voted as con_second
        on
            siblings.panel_key_second = con_second.panel_key
            and siblings.panel = con_second.panel
    inner join voted as con_first
        on
            siblings.panel_key_first = con_first.panel_key
            and siblings.panel = con_first.panel
            and con_second.debate_key = con_first.debate_key
    group by all
),

position_effects as (
    select panel, panel_key_second as panel_key, * exclude (panel)
    from compared
    union all
    select panel, panel_key_first as panel_key, * exclude (panel)
    from compared
),

joined as (
    select
        panels.*,
        summed.* exclude (panel, panel_key, single_con_share_difference),
        {{ clustered_half_width('accuracy_variance', 'n_clusters') }} as accuracy_half_width,
        {% for single in singles %}
            {{ clustered_half_width(single ~ '_variance', 'n_clusters') }}
                as {{ single }}_half_width,
        {% endfor %}
        {{ clustered_half_width('difference_variance', 'n_clusters') }} as difference_half_width,
        -- Verdicts averaged over both orders cannot depend on the order.
        case
            when panels.panel like 'both positions%' and summed.n_units > 0 then 0.0
            else position_effects.con_share_difference
        end as con_share_difference,
        coalesce(
            summed.single_con_share_difference, position_effects.single_con_share_difference
        ) as single_con_share_difference
    from panels
    left join {{ ref('int_verdict_panels_summed') }} as summed using (panel, panel_key)
    left join position_effects using (panel, panel_key)
)

select
    panel,
    experiment,
    dataset_id,
    panel_name,
    asked,
    judge_count,
    members,
    case when panel not like 'both positions%' then variant_id end as variant_id,
    case when panel like 'both positions%' then variant_con_second end as variant_con_second,
    case when panel like 'both positions%' then variant_con_first end as variant_con_first,
    coalesce(n_units, 0)::bigint as n_units,
    coalesce(n_clusters, 0)::bigint as n_clusters,
    accuracy,
    {{ share_ends('accuracy', 'accuracy_half_width', 'n_clusters') }},
    {% for single in singles %}
        {{ single }},
        {{ share_ends(single, single ~ '_half_width', 'n_clusters') }},
    {% endfor %}
    difference,
    {{ clipped_ends('difference', 'difference_half_width', -1.0, 1.0) }},
    coalesce(tie_count, 0)::bigint as tie_count,
    con_share_difference,
    single_con_share_difference,
    cost_usd_per_verdict,
    single_cost_usd_per_verdict,
    case
        when not is_whole then 'not all members were asked'
        when accuracy is null and panel = 'both positions, probability'
            then 'no debate with a human winner and a probability in both positions'
        when accuracy is null and panel = 'both positions'
            then 'no debate with a human winner decided in both positions'
        when accuracy is null then 'no debate with a human winner that two members decided'
    end as reason
from joined
