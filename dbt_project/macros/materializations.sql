{#
How a model becomes a table or a view: dropped and made again in one transaction, so that another
connection sees the old one or the new one. dbt-duckdb's own materializations build beside the old
table, rename twice and drop in a second transaction: four statements more for each model.

No model has hooks, grants, indexes or documentation in the database; these are left out.
#}
{% materialization table, adapter='duckdb', supported_languages=['sql', 'python'] %}
    {%- set target = this.incorporate(type='table') -%}
    {%- set language = model['language'] -%}
    {{ drop_existing(target, unless_type='table' if language == 'python') }}
    {%- set parts = part_count(config.get('meta', {}).get('parts_of')) -%}
    {% call statement('main', language=language) -%}
        {{ create_table_as(False, target, of_part(compiled_code, 0, parts), language) }}
    {%- endcall %}
    {% for part in range(1, parts) %}
        {% call statement('part') -%}
            insert into {{ target }} by name ({{ of_part(compiled_code, part, parts) }})
        {%- endcall %}
    {% endfor %}
    {{ adapter.commit() }}
    {{ return({'relations': [target]}) }}
{% endmaterialization %}

{#
Whether a row belongs to the part of a model that is being made. A model that groups by as many keys as
there are verdicts names in its `meta` the parent whose rows count, as `parts_of`, and is made of so many
of them at a time: a part fits in memory, where all of it would be written to disk and read again.
#}
{% macro in_part(key) -%}
    hash({{ key }}) % 1 = 0
{%- endmacro %}

{% macro of_part(code, part, parts) -%}
    {{ code | replace(' % 1 = 0', ' % ' ~ parts ~ ' = ' ~ part) }}
{%- endmacro %}

{% macro part_count(parent) -%}
    {%- if not parent -%}{{ return(1) }}{%- endif -%}
    {%- set count = 'select 1 + count(*) // ' ~ var('rows_per_part') ~ ' from ' ~ ref(parent) -%}
    {{ return(run_query(count).columns[0].values()[0] | int) }}
{%- endmacro %}

{% materialization view, adapter='duckdb' %}
    {%- set target = this.incorporate(type='view') -%}
    {{ drop_existing(target) }}
    {% call statement('main') -%}
        {{ get_create_view_as_sql(target, sql) }}
    {%- endcall %}
    {{ adapter.commit() }}
    {{ return({'relations': [target]}) }}
{% endmaterialization %}

{% macro drop_existing(target, unless_type=none) %}
    {%- set existing = load_cached_relation(target) -%}
    {% if existing is not none and existing.type != unless_type %}
        {% call statement('drop') -%}
            drop {{ existing.type }} if exists {{ existing }}
        {%- endcall %}
    {% endif %}
{% endmacro %}

{# How a Python model's result is stored: on a connection of its own, which commits by itself. #}
{% macro py_write_table(temporary, relation, compiled_code, partitioned_by=none, sorted_by=none) -%}
{{ compiled_code }}

def materialize(df, con):
    con.register('__dbt_python_model_df', df)
    con.execute('create or replace table {{ relation }} as select * from __dbt_python_model_df')
    con.unregister('__dbt_python_model_df')
{%- endmacro %}
