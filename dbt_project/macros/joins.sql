{# The condition of a join by columns that are equal in both relations, or null in both. #}
{% macro alike(one, other, columns) -%}
    {%- for column in columns -%}
        {{ one }}.{{ column }} is not distinct from {{ other }}.{{ column }}{{ ' and ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{#
Counts of a joined relation, 0 where it has no row.

Args:
    of: the relation, where its columns need its name.
    type: what they are cast to.
#}
{% macro or_zero(columns, of='', type='') -%}
    {%- for column in columns -%}
        coalesce({{ of ~ '.' if of }}{{ column }}, 0){{ '::' ~ type if type }} as {{ column }}
        {{- ', ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}

{# Columns that all rows of a group share, for a select that groups by what decides them. #}
{% macro alike_in_group(columns, of='') -%}
    {%- for column in columns -%}
        any_value({{ of ~ '.' if of }}{{ column }}) as {{ column }}{{ ', ' if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
