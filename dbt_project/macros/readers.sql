{#
Whether a person judged on the dashboard, for columns with the person's name and the data set's: such
people have a name of their own kind, so that none is taken for somebody of the source.
#}
{% macro is_reader(person, dataset_id) -%}
    starts_with({{ person }}, {{ dataset_id }} || ':dashboard/')
{%- endmacro %}

{# The name a reader of the dashboard goes by. #}
{% macro reader_name(person, dataset_id) -%}
    substr({{ person }}, length({{ dataset_id }}) + length(':dashboard/') + 1)
{%- endmacro %}
