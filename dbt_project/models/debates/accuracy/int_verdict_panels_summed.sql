{#
Accuracies, paired differences and their variances over clusters, (x - mean * n)^2 multiplied out and
summed. Debates that are clusters of their own need no grouping for that, and share one row.
#}
{%- set totals = [
    ('n_right', 'accuracy'), ('gain', 'difference'), ('n_single_right', 'single_accuracy'),
    ('n_second_right', 'single_accuracy_con_second'), ('n_first_right', 'single_accuracy_con_first')
] %}
with

voted as (
    select
        *,
        is_right as n_right,
        is_right - is_single_right as gain,
        is_single_right as n_single_right,
        is_second_right as n_second_right,
        is_first_right as n_first_right
    from {{ ref('int_verdict_panels_voted') }}
),

grouped as (
    select
        panel,
        panel_key,
        case when not is_one_debate then cluster_key end as shared_cluster,
        count(*) as units,
        {% for total, _ in totals %}
            sum({{ total }}) as {{ total }},
            sum({{ total }} ^ 2) as {{ total }}_squared,
        {% endfor %}
        count(*) filter (con_share = 0.5) as tie_count,
        count(cost_usd) as costs,
        sum(cost_usd) as cost_usd,
        sum(single_cost_usd) as single_cost_usd,
        sum(single_con_share_second - single_con_share_first) as single_con_share_difference
    from voted
    group by all
),

clusters as (
    select
        *,
        case when shared_cluster is null then units else 1 end as n_clusters,
        case when shared_cluster is null then units else units ^ 2 end as units_squared,
        {% for total, _ in totals %}
            case when shared_cluster is null then {{ total }}_squared else {{ total }} ^ 2 end
                as {{ total }}_products,
            case when shared_cluster is null then {{ total }} else {{ total }} * units end
                as {{ total }}_units,
        {% endfor %}
    from grouped
),

summed as (
    select
        panel,
        panel_key,
        sum(units)::bigint as n_units,
        sum(n_clusters)::bigint as n_clusters,
        sum(tie_count)::bigint as tie_count,
        case when sum(costs) = sum(units) then sum(cost_usd) / sum(units) end
            as cost_usd_per_verdict,
        case when sum(costs) = sum(units) then sum(single_cost_usd) / sum(units) end
            as single_cost_usd_per_verdict,
        sum(single_con_share_difference) / sum(units) as single_con_share_difference,
        sum(units_squared) as units_squared,
        {% for total, name in totals %}
            sum({{ total }}) / sum(units) as {{ name }},
            sum({{ total }}_products) as {{ total }}_products,
            sum({{ total }}_units) as {{ total }}_units,
        {% endfor %}
    from clusters
    group by panel, panel_key
)

select
    * exclude (
        {% for total, _ in totals %}
            {{ total }}_products,
            {{ total }}_units,
        {% endfor %}
        units_squared
    ),
    {% for total, name in totals %}
        {{ clip(
            'n_clusters / nullif(n_clusters - 1.0, 0) * (' ~ total ~ '_products - 2 * ' ~ name
            ~ ' * ' ~ total ~ '_units + ' ~ name ~ ' ^ 2 * units_squared) / n_units ^ 2',
            '0.0',
            '1.0'
        ) }} as {{ name }}_variance,
    {% endfor %}
from summed
