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
