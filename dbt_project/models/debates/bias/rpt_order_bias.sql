{#
Does the side that speaks last win more of a judge's verdicts? As the paper tests it, over the whole
table, and with the winner by people held fixed (Mantel-Haenszel), since Con closes most natural
debates and wins most of them.
#}
{%- set table = [
    'con_closes_pred_con', 'con_closes_pred_pro', 'pro_closes_pred_con', 'pro_closes_pred_pro'
] -%}
{%- set measures = ['difference', 'phi', 'mh_difference'] %}
with

patterns as (
    select
        setting_id,
        {% for cell in table %}
            human_pro_{{ cell }},
            human_con_{{ cell }},
            human_pro_{{ cell }} + human_con_{{ cell }} + human_unknown_{{ cell }} as {{ cell }},
        {% endfor %}
        {{ table | join(' + ') }} as n_each,
        sum(n_clusters)::bigint as n_alike,
        sum(split_closes)::bigint as split_count,
        sum(answers_closes)::bigint as n_answers
    from {{ ref('int_verdict_patterns') }}
    where is_all_rounds
    group by all
),

totals as (
    select
        setting_id,
        coalesce(sum(n_alike) filter (where n_each > 0), 0)::bigint as n_alike,
        sum(n_alike * n_each)::bigint as n_units,
        sum(split_count)::bigint as split_count,
        sum(n_answers)::bigint as n_answers,
    {% for cell in table %}
        sum(n_alike * human_pro_{{ cell }})::bigint as human_pro_{{ cell }},
        sum(n_alike * human_con_{{ cell }})::bigint as human_con_{{ cell }},
        sum(n_alike * {{ cell }})::bigint as {{ cell }}{{ ',' if not loop.last }}
    {% endfor %}
    from patterns
    group by setting_id
),

-- The whole table (replicate 0), and the table without one cluster of each pattern.
tables as (
    select * exclude (n_units, split_count, n_answers), 0 as replicate from totals
    union all by name
    select
        patterns.setting_id,
        patterns.n_alike,
        {% for cell in table %}
            totals.human_pro_{{ cell }} - patterns.human_pro_{{ cell }} as human_pro_{{ cell }},
            totals.human_con_{{ cell }} - patterns.human_con_{{ cell }} as human_con_{{ cell }},
            totals.{{ cell }} - patterns.{{ cell }} as {{ cell }},
        {% endfor %}
        row_number() over () as replicate
    from patterns
    inner join totals using (setting_id)
    where patterns.n_each > 0
),

strata as (
    {% for human in ['pro', 'con'] %}
        select
            setting_id,
            replicate,
            {% for cell in table %}
                human_{{ human }}_{{ cell }} as {{ cell }},
            {% endfor %}
            {% for cell in table %}
                human_{{ human }}_{{ cell }}{{ ' + ' if not loop.last }}
            {% endfor %} as n
        from tables
        {{ 'union all' if not loop.last }}
    {% endfor %}
),

pooled as (
    select
        setting_id,
        replicate,
        sum(n)::bigint as mh_n_units,
        {{ mh_odds_ratio(*table, n='n') }} as mh_odds_ratio,
        {{ mh_log_odds_variance(*table, n='n') }} as mh_log_odds_variance,
        {{ mh_difference(*table, n='n') }} as mh_difference,
        {{ mh_chi_square(*table, n='n') }} as mh_chi_square
    from strata
    where n > 0
    group by setting_id, replicate
),

replicates as (
    select
        tables.*,
        pooled.* exclude (setting_id, replicate),
        con_closes_pred_con / nullif(con_closes_pred_con + con_closes_pred_pro, 0)
            as share_con_closes,
        pro_closes_pred_con / nullif(pro_closes_pred_con + pro_closes_pred_pro, 0)
            as share_pro_closes,
        share_con_closes - share_pro_closes as difference,
        {{ phi(*table) }} as phi
    from tables
    left join pooled using (setting_id, replicate)
),

spreads as (
    select
        setting_id,
    {% for measure in measures %}
        {{ alike_half_width(measure, 'n_alike') }} as {{ measure }}_half{{ ',' if not loop.last }}
    {% endfor %}
    from replicates
    where replicate > 0
    group by setting_id
),

estimates as (
    select
        replicates.*,
        n_alike as n_clusters,
        {{ chi_square(*table) }} as chi_square,
        {{ chi_square_yates(*table) }} as chi_square_yates,
        {{ phi_yates(*table) }} as phi_yates,
        {{ odds_ratio(*table) }} as odds_ratio,
        {{ odds_ratio_bound(*table, sign=-1) }} as odds_ratio_low,
        {{ odds_ratio_bound(*table, sign=1) }} as odds_ratio_high,
        1.959963984540054 * sqrt(mh_log_odds_variance) as mh_log_odds_half
    from replicates
    where replicate = 0
)

select
    {{ verdict_setting_columns('settings') }},
    totals.n_units,
    estimates.n_clusters,
    totals.n_answers,
    totals.split_count,
    totals.pro_closes_pred_pro,
    totals.pro_closes_pred_con,
    totals.con_closes_pred_pro,
    totals.con_closes_pred_con,
    estimates.share_pro_closes,
    estimates.share_con_closes,
    estimates.difference,
    {{ clipped_ends('estimates.difference', 'spreads.difference_half', -1, 1) }},
    estimates.chi_square,
    chi_square_p(estimates.chi_square, 1::double) as p_chi_square,
    estimates.chi_square_yates,
    chi_square_p(estimates.chi_square_yates, 1::double) as p_yates,
    estimates.phi,
    {{ clipped_ends('estimates.phi', 'spreads.phi_half', -1, 1) }},
    estimates.phi_yates,
    estimates.odds_ratio,
    case when n_clusters >= {{ var('min_units_for_interval') }} then estimates.odds_ratio_low end
        as odds_ratio_low,
    case when n_clusters >= {{ var('min_units_for_interval') }} then estimates.odds_ratio_high end
        as odds_ratio_high,
    estimates.mh_odds_ratio,
    case
        when n_clusters >= {{ var('min_units_for_interval') }}
            then estimates.mh_odds_ratio * exp(-mh_log_odds_half)
    end as mh_odds_ratio_low,
    case
        when n_clusters >= {{ var('min_units_for_interval') }}
            then estimates.mh_odds_ratio * exp(mh_log_odds_half)
    end as mh_odds_ratio_high,
    estimates.mh_difference,
    {{ clipped_ends('estimates.mh_difference', 'spreads.mh_difference_half', -1, 1) }},
    estimates.mh_chi_square,
    chi_square_p(estimates.mh_chi_square, 1::double) as p_mh,
    coalesce(estimates.mh_n_units, 0)::bigint as mh_n_units,
    case
        when totals.n_units = 0 then 'no debate with a known closing side and a majority'
        when estimates.share_pro_closes is null then 'Con closes every debate'
        when estimates.share_con_closes is null then 'Pro closes every debate'
        when estimates.phi is null then 'one class only'
        when estimates.odds_ratio is null then 'no odds ratio: an empty cell'
        {{ when_too_few('n_clusters', 'clusters') }}
    end as reason,
    case
        when estimates.mh_n_units is null then 'no debate with a winner by people'
        when estimates.mh_difference is null
            then 'among debates with one winner, one side closes every time'
        when estimates.mh_chi_square is null then 'one class only'
        when estimates.mh_odds_ratio is null then 'no odds ratio: empty cells'
        {{ when_too_few('n_clusters', 'clusters') }}
    end as mh_reason
from totals
inner join estimates using (setting_id)
inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
left join spreads using (setting_id)
