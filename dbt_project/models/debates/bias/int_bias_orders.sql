{#
What the last word adds, from what `pooled_verdicts` pools: the Mantel-Haenszel difference of Con's share
between debates Con closes and debates Pro closes, by people's winner, with the jackknife's error over
clusters. The test is Cochran's, Mantel's and Haenszel's for means, which is the one of two by two tables
where a debate has one verdict.
#}
{{ config(meta={'parts_of': 'int_bias_verdicts'}) }}
{%- set ends = ['con', 'pro'] -%}
{%- set winners = {'con': 1, 'pro': 0} -%}
{%- set cells = ['con_con', 'con_pro', 'pro_con', 'pro_pro'] -%}
{%- set sums = {
    'squares_con': '{}', 'squares_pro': '{}',
    'split_count': '{}::bigint', 'n_answers': '{}::bigint', 'n_votes': '{}::bigint',
} -%}
{%- for cell in cells -%}
    {%- do sums.update({'n_' ~ cell: '{}', 'sum_' ~ cell: '{}'}) -%}
{%- endfor -%}
with

units as (
    select * from (
        {{ pooled_verdicts() }}
    ) as judged
    where human is not null and end_side is not null
),

counted as not materialized (
    select
        group_id,
        arm_id,
        cluster_key,
        {% for human, is_con in winners.items() %}
            {% for end in ends %}
                (vote is not null and human = {{ is_con }} and end_side = '{{ end }}')::double
                    as n_{{ human }}_{{ end }},
                if(human = {{ is_con }} and end_side = '{{ end }}', coalesce(vote, 0), 0)
                    as sum_{{ human }}_{{ end }},
            {% endfor %}
            if(human = {{ is_con }}, coalesce(vote ^ 2, 0), 0) as squares_{{ human }},
        {% endfor %}
        coalesce(is_split, false)::integer as split_count,
        if(vote is null, 0, parsed_count) as n_answers,
        (vote is not null)::integer as n_votes
    from units
),

-- Worked out twice, which takes less than keeping a row of millions of debates each.
clusters as not materialized (
    {{ cluster_sums('counted', ['group_id', 'arm_id'], sums) }}
),

totals as (
    select
        group_id,
        arm_id,
        count(*) filter (n_votes > 0) as n_clusters,
        sum(split_count)::bigint as split_count,
        sum(n_answers)::bigint as n_answers,
        {% for cell in cells %}
            sum(n_{{ cell }}) as n_{{ cell }},
            sum(sum_{{ cell }}) as sum_{{ cell }},
        {% endfor %}
        sum(squares_con) as squares_con,
        sum(squares_pro) as squares_pro
    from clusters
    group by group_id, arm_id
),

left_out as (
    select
        clusters.group_id,
        clusters.arm_id,
    {% for cell in cells %}
        totals.n_{{ cell }} - clusters.n_{{ cell }} as n_{{ cell }},
        totals.sum_{{ cell }} - clusters.sum_{{ cell }}
            as sum_{{ cell }}{{ ',' if not loop.last }}
    {% endfor %}
    from clusters
    inner join totals
        on
            clusters.group_id = totals.group_id
            and clusters.arm_id is not distinct from totals.arm_id
    where clusters.n_votes > 0
),

replicates as (
    select group_id, arm_id, {{ mh_mean_difference(winners) }} as difference
    from left_out
),

-- An estimate that is undefined without some cluster has no error that could be trusted.
spreads as (
    select
        group_id,
        arm_id,
        count(difference) < count(*) as is_undefined_without_one,
        case
            when not is_undefined_without_one and count(*) > 1
                then sqrt((count(*) - 1) * var_pop(difference))
        end as error
    from replicates
    group by group_id, arm_id
)

select
    totals.group_id,
    totals.arm_id,
    totals.n_clusters,
    (
        {% for cell in cells %}
            totals.n_{{ cell }} {{ '+' if not loop.last }}
        {% endfor %}
    )::bigint as n_units,
    totals.n_answers,
    totals.split_count,
    {{ mh_mean_difference(winners, 'totals.') }} as effect,
    spreads.error,
    spreads.is_undefined_without_one,
    -- Over the variance each order of the debates would give, people's winner held fixed.
    (
        {% for human in winners %}
            {% set con, pro = 'totals.n_' ~ human ~ '_con', 'totals.n_' ~ human ~ '_pro' %}
            coalesce(
                (totals.sum_{{ human }}_con * {{ pro }} - totals.sum_{{ human }}_pro * {{ con }})
                / nullif({{ con }} + {{ pro }}, 0)
                * (({{ con }} + {{ pro }} > 1)::integer),
                0
            ) {{ '+' if not loop.last }}
        {% endfor %}
    ) ^ 2 as score_square,
    (
        {% for human in winners %}
            {% set con, pro = 'totals.n_' ~ human ~ '_con', 'totals.n_' ~ human ~ '_pro' %}
            coalesce(
                {{ con }} * {{ pro }}
                * greatest(
                    0.0,
                    totals.squares_{{ human }}
                    - (totals.sum_{{ human }}_con + totals.sum_{{ human }}_pro) ^ 2
                    / nullif({{ con }} + {{ pro }}, 0)
                )
                / nullif(({{ con }} + {{ pro }}) * ({{ con }} + {{ pro }} - 1.0), 0),
                0
            ) {{ '+' if not loop.last }}
        {% endfor %}
    ) as score_variance
from totals
left join spreads
    on totals.group_id = spreads.group_id and totals.arm_id is not distinct from spreads.arm_id
