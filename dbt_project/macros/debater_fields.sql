{# What the reports on debaters share. #}

{# What the debates of a field have in common. #}
{% macro debater_field_columns(relation) -%}
    {%- for column in [
        'dataset_id', 'judge_id', 'judge_template', 'asked_for', 'debate_setting', 'debater_template',
        'turn_order', 'is_interactive', 'round_count', 'word_limit', 'best_of',
        'preference_judge_id', 'refine_count', 'asker_id'
    ] %}
    {{ relation }}.{{ column }}{{ ',' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{#
Shares over clusters, as a query: one row per value of `keys`, with share, half_width (of the t interval
of a ratio of sums over clusters), n_units and n.

Args:
    relation: rows with the keys, cluster_id, and a share each.
    share: the column of the share; rows without one are left out.
#}
{% macro story_shares(relation, keys, share='share') -%}
    {%- set by = keys | join(', ') %}
    select
        {{ by }},
        any_value(mean) as share,
        count(*) as n_units,
        any_value(n)::bigint as n,
        {{ clustered_half_width(
            clustered_variance('cluster_sum', 'cluster_count', 'mean', 'n', 'n_clusters'),
            'count(*)'
        ) }} as half_width
    from (
        select
            *,
            sum(cluster_sum) over every / sum(cluster_count) over every as mean,
            sum(cluster_count) over every as n,
            count(*) over every as n_clusters
        from (
            select {{ by }}, cluster_id, sum({{ share }}) as cluster_sum, count(*) as cluster_count
            from {{ relation }}
            where {{ share }} is not null
            group by {{ by }}, cluster_id
        )
        window every as (partition by {{ by }})
    )
    group by {{ by }}
{%- endmacro %}

{# From this similarity on, a quote that is not in the story all but is. #}
{% macro near_miss() -%} 0.9 {%- endmacro %}
