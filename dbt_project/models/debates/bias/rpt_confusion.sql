{#
What a judge said where people chose Pro, and where they chose Con, failures included. An interval is
Wilson's at the number of independent answers that the spread between clusters amounts to.
#}
{%- set sides = ['pro', 'con'] -%}
{%- set answers = ['pro', 'con', 'tie', 'unparsed', 'unanswered'] %}
with

patterns as (
    {% for human in sides %}
        {% for answer in answers %}
            select
                setting_id,
                is_all_rounds,
                round_count,
                '{{ human }}' as human_winner,
                '{{ answer }}' as predicted,
                human_{{ human }}_answered_{{ answer }} as hits,
                {% for each in answers %}
                    human_{{ human }}_answered_{{ each }}{{ ' + ' if not loop.last }}
                {% endfor %} as size,
                sum(n_clusters)::bigint as n_alike,
                sum(units_{{ human }}_{{ answer }})::bigint as n_units
            from {{ ref('int_verdict_patterns') }}
            where size > 0
            group by all
            {{ 'union all' if not (loop.last and human == 'con') }}
        {% endfor %}
    {% endfor %}
),

weighed as (
    select
        setting_id,
        is_all_rounds,
        round_count,
        human_winner,
        predicted,
        sum(n_alike)::bigint as n_clusters,
        sum(n_alike * hits)::bigint as n_answers,
        sum(n_alike * size)::bigint as n_human,
        n_answers / n_human as share,
        sum(n_units)::bigint as n_units,
        -- The linearised variance of a ratio from its three sums of products.
        n_clusters / nullif(n_clusters - 1.0, 0) * greatest(0, (
            sum(n_alike * hits * hits) - 2 * share * sum(n_alike * hits * size)
            + share * share * sum(n_alike * size * size)
        )) / (n_human::double * n_human) as variance,
        -- A share of 0 or 1 has no spread: each cluster then counts as one answer.
        case
            when n_clusters >= {{ var('min_units_for_interval') }}
                then coalesce(
                    least(n_human, share * (1 - share) / nullif(round(variance, 15), 0)), n_clusters
                )
        end as n_effective
    from patterns
    group by setting_id, is_all_rounds, round_count, human_winner, predicted
)

select
    {{ verdict_setting_columns('settings') }},
    weighed.* exclude (setting_id, is_all_rounds, n_clusters, n_human, variance, n_effective),
    {{ wilson_ends('share', 'n_effective') }}
from weighed
inner join {{ ref('int_verdict_settings') }} as settings using (setting_id)
