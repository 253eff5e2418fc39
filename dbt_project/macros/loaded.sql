{# Rows of a raw table or typed view, without their provenance. #}
{% macro loaded(table) -%}
    (select * exclude (_source_file, _loaded_at) from {{ source('raw', table) }})
{%- endmacro %}
