{#
Incremental strategy 'replace': the rows a model gives become the table, whole. For models that read
what they made before to spare themselves work, where rows that are not given again have to go.
#}
{% macro get_incremental_replace_sql(arg_dict) -%}
    {%- set columns = get_quoted_csv(arg_dict['dest_columns'] | map(attribute='name')) -%}
    delete from {{ arg_dict['target_relation'] }};
    insert into {{ arg_dict['target_relation'] }} ({{ columns }})
    select {{ columns }} from {{ arg_dict['temp_relation'] }}
{%- endmacro %}
