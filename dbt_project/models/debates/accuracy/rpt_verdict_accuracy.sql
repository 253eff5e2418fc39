{#
How often a judge names the winner people named, and how well beyond chance. A unit adds its share of
verdicts for Con, so with one verdict per debate the figures are scikit-learn's.
#}
{%- set grain = ['setting_id', 'is_all_rounds', 'round_count'] -%}
{%- set measures = ['accuracy', 'f1_weighted', 'f1_macro', 'mcc', 'kappa'] -%}
{%- set table = ['pro_pro', 'pro_con', 'con_pro', 'con_con'] %}
with

patterns as (
    select
        setting_id,
        is_all_rounds,
        round_count,
        n_human_pro,
        n_human_con,
        con_share_human_pro,
        con_share_human_con,
        sum(n_clusters)::bigint as n_clusters,
        sum(n_asked) as n_asked,
        sum(right_of_asked) as right_of_asked,
        sum(failed_of_asked) as failed_of_asked,
        {% for human in ['pro', 'con'] %}
            {% for answer in ['pro', 'con', 'tie', 'unparsed', 'unanswered'] %}
                sum(n_clusters * human_{{ human }}_answered_{{ answer }})
                    as {{ human }}_{{ answer }}_count,
            {% endfor %}
        {% endfor %}
        n_human_pro + n_human_con > 0 as is_scored
    from {{ ref('int_verdict_patterns') }}
    group by all
),

totals as (
    select
        setting_id,
        is_all_rounds,
        round_count,
        coalesce(sum(n_clusters) filter (where is_scored), 0)::bigint as n_clusters,
        sum(n_clusters * (n_human_pro + n_human_con))::bigint as n_units,
        sum(n_asked) as n_asked,
        sum(right_of_asked) as right_of_asked,
        sum(failed_of_asked) as failed_of_asked,
        sum(
            pro_pro_count + pro_con_count + pro_tie_count
            + con_pro_count + con_con_count + con_tie_count
        )::bigint as parsed_count,
        sum(pro_unparsed_count + con_unparsed_count)::bigint as unparsed_count,
        sum(pro_unanswered_count + con_unanswered_count)::bigint as unanswered_count,
        sum(pro_tie_count + con_tie_count)::bigint as tie_count,
        round(sum(n_clusters * (n_human_pro - con_share_human_pro)), 9) as pro_pro,
        round(sum(n_clusters * con_share_human_pro), 9) as pro_con,
        round(sum(n_clusters * (n_human_con - con_share_human_con)), 9) as con_pro,
        round(sum(n_clusters * con_share_human_con), 9) as con_con
    from patterns
    group by setting_id, is_all_rounds, round_count
),

estimates as (
    select
        *,
    {% for measure in measures + ['f1_pro', 'f1_con'] %}
        {{ confusion_measure(measure, table) }} as {{ measure }}{{ ',' if not loop.last }}
    {% endfor %}
    from totals
),

left_out as (
    select
        patterns.setting_id,
        patterns.is_all_rounds,
        patterns.round_count,
        patterns.n_clusters,
        round(totals.pro_pro - (patterns.n_human_pro - patterns.con_share_human_pro), 9) as pro_pro,
        round(totals.pro_con - patterns.con_share_human_pro, 9) as pro_con,
        round(totals.con_pro - (patterns.n_human_con - patterns.con_share_human_con), 9) as con_pro,
        round(totals.con_con - patterns.con_share_human_con, 9) as con_con
    from patterns
    inner join totals on {{ alike('patterns', 'totals', grain) }}
    where patterns.is_scored
),

replicates as (
    select
        setting_id,
        is_all_rounds,
        round_count,
        n_clusters,
    {% for measure in measures %}
        {{ confusion_measure(measure, table) }} as {{ measure }}{{ ',' if not loop.last }}
    {% endfor %}
    from left_out
),

spreads as (
    select
        setting_id,
        is_all_rounds,
        round_count,
    {% for measure in measures %}
        {{ alike_half_width(measure, 'n_clusters') }}
            as {{ measure }}_half{{ ',' if not loop.last }}
    {% endfor %}
    from replicates
    group by setting_id, is_all_rounds, round_count
)

select
    {{ verdict_setting_columns('settings') }},
    estimates.round_count,
    estimates.n_units,
    estimates.n_clusters,
    estimates.parsed_count + estimates.unparsed_count + estimates.unanswered_count as n_answers,
    estimates.parsed_count,
    estimates.unparsed_count,
    estimates.unanswered_count,
    estimates.tie_count,
    {% for measure in measures %}
        {%- set lowest = -1 if measure in ['mcc', 'kappa'] else 0 -%}
        estimates.{{ measure }},
        {% for end, sign in [('low', -1), ('high', 1)] %}
            {% if measure == 'accuracy' -%}
                {{ clustered_share_bound(
                    'estimates.accuracy', 'spreads.accuracy_half', 'estimates.n_clusters', sign
                ) }}
            {%- else -%}
                {{ clip(
                    'estimates.' ~ measure ~ ' + ' ~ sign ~ ' * spreads.' ~ measure ~ '_half', lowest, 1
                ) }}
            {%- endif %} as {{ measure }}_{{ end }},
        {% endfor %}
    {% endfor %}
    estimates.right_of_asked / nullif(estimates.n_asked, 0) as accuracy_all_wrong,
    (estimates.right_of_asked + estimates.failed_of_asked) / nullif(estimates.n_asked, 0)
        as accuracy_all_right,
    estimates.f1_pro,
    estimates.f1_con,
    released.accuracy as accuracy_released,
    released.accuracy_low as accuracy_released_low,
    released.accuracy_high as accuracy_released_high,
    coalesce(released.n_units, 0) as n_units_released,
    coalesce(released.parsed_count, 0) as parsed_count_released,
    coalesce(released.unparsed_count, 0) as unparsed_count_released,
    case
        when estimates.n_units > 0 and estimates.mcc is null then 'one class only'
        when estimates.mcc is null then 'no debate with a winner and a readable verdict'
    end as mcc_reason,
    case
        when estimates.n_units > 0 and estimates.kappa is null then 'one class only'
        when estimates.kappa is null then 'no debate with a winner and a readable verdict'
    end as kappa_reason,
    case
        when estimates.n_units = 0 then 'no debate with a winner and a readable verdict'
        {{ when_too_few('estimates.n_clusters', 'clusters') }}
    end as reason
from estimates
inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
left join spreads on {{ alike('estimates', 'spreads', grain) }}
left join {{ ref('int_verdicts_released') }} as released
    on {{ alike('estimates', 'released', grain) }}
