{# Schemas are named after their layer alone, in every home. A model's prefix says its layer, so that a
subject's models can lie in one folder. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- set layers = {'stg': 'staging', 'int': 'intermediate', 'dim': 'marts', 'fct': 'marts', 'rpt': 'marts'} -%}
    {{ custom_schema_name or layers.get(node.name.split('_')[0], target.schema) }}
{%- endmacro %}
