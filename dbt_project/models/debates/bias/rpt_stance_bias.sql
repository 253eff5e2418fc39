{#
Does a judge favour a side whatever is said? Its share of verdicts for Con against that of the people,
on the same debates.
#}
with

patterns as (
    select
        setting_id,
        n_human_pro + n_human_con as n_each,
        con_share_human_pro + con_share_human_con as predicted_con,
        n_human_con as human_con,
        sum(n_clusters)::bigint as n_alike,
        sum(split_human)::bigint as split_count,
        sum(n_human_pro_pred_con)::bigint as only_predicted_con,
        sum(n_human_con_pred_pro)::bigint as only_human_con,
        sum(discordance_squares)::bigint as discordance_squares,
        sum(clusters_predicted_con)::bigint as clusters_predicted_con,
        sum(clusters_human_con)::bigint as clusters_human_con,
        sum(n_clusters * (
            {% for human in ['pro', 'con'] %}
                {% for answer in ['pro', 'con', 'tie'] %}
                    human_{{ human }}_answered_{{ answer }}{{ ' + ' if not loop.last }}
                {% endfor %}
                {{ ' + ' if not loop.last }}
            {% endfor %}
        ))::bigint as n_answers
    from {{ ref('int_verdict_patterns') }}
    where is_all_rounds
    group by all
),

totals as (
    select
        setting_id,
        sum(n_alike * n_each)::bigint as n_units,
        coalesce(sum(n_alike) filter (where n_each > 0), 0)::bigint as n_clusters,
        sum(n_answers)::bigint as n_answers,
        sum(split_count)::bigint as split_count,
        sum(n_alike * predicted_con) / nullif(sum(n_alike * n_each), 0) as predicted_con_share,
        sum(n_alike * human_con) / nullif(sum(n_alike * n_each), 0) as human_con_share,
        sum(n_alike * (predicted_con - human_con)) / nullif(sum(n_alike * n_each), 0) as difference,
        sum(only_predicted_con)::bigint as only_predicted_con,
        sum(only_human_con)::bigint as only_human_con,
        sum(discordance_squares)::bigint as discordance_squares,
        sum(clusters_predicted_con)::bigint as clusters_predicted_con,
        sum(clusters_human_con)::bigint as clusters_human_con
    from patterns
    group by setting_id
),

spreads as (
    select
        setting_id,
        {{ alike_half_width('difference', 'n_alike') }} as half_width
    from (
        select
            patterns.setting_id,
            patterns.n_alike,
            (
                totals.difference * totals.n_units
                - (patterns.predicted_con - patterns.human_con)
            ) / nullif(totals.n_units - patterns.n_each, 0) as difference
        from patterns
        inner join totals using (setting_id)
        where patterns.n_each > 0
    )
    group by setting_id
),

arms as (select setting_id, is_neutral, why_descriptive from {{ ref('int_bias_arms') }})

select
    {{ verdict_setting_columns('settings') }},
    totals.* exclude (setting_id, discordance_squares, clusters_predicted_con, clusters_human_con),
    {{ clipped_ends('totals.difference', 'spreads.half_width', -1, 1) }},
    {{ mcnemar('only_predicted_con', 'only_human_con') }} as mcnemar,
    {{ mcnemar_p('only_predicted_con', 'only_human_con') }} as p_mcnemar,
    {{ mcnemar_corrected('only_predicted_con', 'only_human_con') }} as mcnemar_corrected,
    {{ mcnemar_corrected_p('only_predicted_con', 'only_human_con') }} as p_corrected,
    {{ mcnemar_exact_p('only_predicted_con', 'only_human_con') }} as p_exact,
    {{ mcnemar_of_clusters('only_predicted_con', 'only_human_con', 'discordance_squares') }}
        as mcnemar_of_clusters,
    {{ quoted_p_of_clusters(
        'only_predicted_con', 'only_human_con', 'clusters_predicted_con', 'clusters_human_con',
        'discordance_squares'
    ) }} as p,
    {{ quoted_p_kind_of_clusters(
        'clusters_predicted_con', 'clusters_human_con', 'totals.n_units', 'totals.n_clusters'
    ) }} as p_kind,
    arms.is_neutral as is_neutralised,
    arms.why_descriptive,
    case
        when totals.n_units = 0 then 'no debate with a winner and a readable verdict'
        when only_predicted_con + only_human_con = 0 then 'no discordant pairs'
        when clusters_predicted_con + clusters_human_con = 0 then 'no discordant clusters'
        {{ when_too_few('totals.n_clusters', 'clusters') }}
        when spreads.half_width is null then 'every cluster differs alike'
    end as reason
from totals
inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
inner join arms using (setting_id)
left join spreads using (setting_id)
