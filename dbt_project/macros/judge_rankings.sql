{# What the models share that rank judges among those asked alike. #}

{# What was asked, alike for all judges of a ranking; null where a measure has no such thing. #}
{% macro ranking_columns() -%}
    {{ return([
        'measure', 'dataset_id', 'dimension', 'experiment', 'template', 'variant_id', 'evaluator_id',
        'evaluator_template', 'min_shared_items'
    ]) }}
{%- endmacro %}

{# The ranking that a row belongs to, from the columns above. #}
{% macro ranking_id() %}concat_ws(' / ', {{ ranking_columns() | join(', ') }}){% endmacro %}

{# Columns of a ranking that a relation does not have. #}
{% macro without_ranking_columns(columns) -%}
    {%- for column in columns %}
    null::{{ 'bigint' if column == 'min_shared_items' else 'varchar' }} as {{ column }}{{ ',' if not loop.last }}
    {%- endfor %}
{%- endmacro %}

{#
Whether two judges share as much as each of them needs to be named.

Args:
    n_shared: units that both have a value of.
    n_clusters: clusters these are in.
#}
{% macro shares_enough(n_shared, n_clusters) -%}
    {{ n_shared }} >= {{ var('min_units_to_name') }} and {{ n_clusters }} >= {{ var('min_clusters_to_name') }}
{%- endmacro %}

{#
What paired differences say of a judge beside people, as columns of a query grouped by judge. Of several
people the one who shares most units is shown; what is said of all of them holds for each.

Args:
    who: the person.
    value: the person's value on the shared units.
    difference: the judge's value less the person's, with the ends `low` and `high` of its interval.
    n_shared: how many units both have a value of.
    margin: within which both are level.
#}
{% macro beside_people(who, value, difference, low, high, n_shared, margin) -%}
    count(*) as n_people,
    first(
        {
            'human_value': {{ value }}, 'difference': {{ difference }}, 'difference_low': {{ low }},
            'difference_high': {{ high }}, 'n_shared': {{ n_shared }}
        }
        order by {{ n_shared }} desc, {{ who }}
    ) as shown,
    bool_and(coalesce({{ low }} > 0, false)) as is_above_all,
    bool_and(coalesce({{ high }} < 0, false)) as is_below_all,
    bool_or(coalesce({{ low }} > 0 or {{ high }} < 0, false)) as differs_from_one,
    bool_and(coalesce({{ low }} >= -{{ margin }} and {{ high }} <= {{ margin }}, false))
        as is_level_with_all,
    bool_or({{ low }} is null or {{ high }} is null) as lacks_interval,
    {{ margin }}::double as margin
{%- endmacro %}
