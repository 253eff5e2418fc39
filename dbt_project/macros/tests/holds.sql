{#
What holds for the rows of a model, in one query. A row of the result names a broken rule and the key
of a row that breaks it. A comparison with null breaks no rule.

- key: columns that no two rows share; null is a value like any other.
- numbered_key: the same, where the last column is a number of 0 or more that most numbers occur in:
  looked for 512 numbers at a time, a bit for each, which of millions of rows takes a fifth of the time.
- unique: lists of columns that no two rows share where all of them are known.
- not_null: columns that are always known.
- nullable: of a published table, keys, counts and flags that may be null (see `contract_query`).
- between: low, high and the columns that lie between them, both included.
- intervals: columns that lie between those of their name with `_low` and with `_high`.
- ordered: lists of columns that never run backwards; with columns and where, for the rows of a
  condition.
- null_has_reason: by column, what is known exactly where the column is null.
- accepted_values: by column, all the values it may have.
- relationships: a column whose values are all found in the field of another model (the column's own
  name unless given), for the rows of a condition (where).
#}
{% test holds(
    model,
    key=[],
    numbered_key=[],
    unique=[],
    not_null=[],
    nullable=[],
    between=[],
    intervals=[],
    ordered=[],
    null_has_reason={},
    accepted_values={},
    relationships=[]
) %}
{# By rule as text, the condition of a row that breaks it. #}
{% set rules = {} %}
{% for column in not_null %}
    {% do rules.update({column ~ ' is not null': column ~ ' is null'}) %}
{% endfor %}
{% for range in between %}
    {% for column in range.columns %}
        {% do rules.update({
            range.low ~ ' <= ' ~ column ~ ' <= ' ~ range.high:
                column ~ ' < ' ~ range.low ~ ' - 1e-12 or ' ~ column ~ ' > ' ~ range.high ~ ' + 1e-12'
        }) %}
    {% endfor %}
{% endfor %}
{% set chains = [] %}
{% for column in intervals %}
    {% do chains.append([column ~ '_low', column, column ~ '_high']) %}
{% endfor %}
{% set chained = [] %}
{% for chain in chains + ordered %}
    {% set columns = chain.columns if chain is mapping else chain %}
    {% set condition = '(' ~ chain.where ~ ') and ' if chain is mapping else '' %}
    {% do chained.extend(columns) %}
    {% for column in columns[1:] %}
        {% set previous = columns[loop.index0] %}
        {% do rules.update({
            previous ~ ' <= ' ~ column: condition ~ previous ~ ' > ' ~ column ~ ' + 1e-9'
        }) %}
    {% endfor %}
{% endfor %}
{% for column, reason in null_has_reason.items() %}
    {% do rules.update({
        column ~ ' is null exactly where ' ~ reason ~ ' is not':
            '(' ~ column ~ ' is null) != (' ~ reason ~ ' is not null)'
    }) %}
{% endfor %}
{% for column, values in accepted_values.items() %}
    {% set listed = [] %}
    {% for value in values %}
        {% do listed.append("'" ~ value ~ "'" if value is string else value) %}
    {% endfor %}
    {% do rules.update({
        column ~ ' is one of ' ~ values | join(', '):
            column ~ ' not in (' ~ listed | join(', ') ~ ')'
    }) %}
{% endfor %}
{# What names a row: its key, or without one the columns that are tested. #}
{% set row_key %}
    {{ named_values(
        key or numbered_key or (unique | first) or (
            not_null + between | sum(attribute='columns', start=[]) + chained
            + null_has_reason.keys() | list + accepted_values.keys() | list
            + relationships | map(attribute='column') | list
        )
    ) }}
{% endset %}
{# dbt knows the schema once it has parsed the project; what a test reads it has to find before. #}
{% set contract = contract_query(model, key or numbered_key, nullable) %}
{% set queries = [contract] if model.schema == 'marts' else [] %}
{% if rules %}
    {% set query %}
    select row_key, rule
    from (
        select
            {{ row_key }} as row_key,
            unnest([
                {% for rule, broken in rules.items() %}
                    case when {{ broken }} then '{{ rule | replace("'", "''") }}' end
                    {{ ',' if not loop.last }}
                {% endfor %}
            ]) as rule
        from {{ model }}
        where
            {% for broken in rules.values() %}
                ({{ broken }}) {{ 'or' if not loop.last }}
            {% endfor %}
    )
    where rule is not null
    {% endset %}
    {% do queries.append(query) %}
{% endif %}
{% for columns in [key] + unique if columns %}
    {% set query %}
    select {{ named_values(columns) }} as row_key, '{{ columns | join(", ") }} is unique' as rule
    from (
        select {{ columns | join(', ') }}
        from {{ model }}
        {% if not loop.first or not key %}
            where {{ columns | join(' is not null and ') }} is not null
        {% endif %}
        group by {{ columns | join(', ') }}
        having count(*) > 1
    )
    {% endset %}
    {% do queries.append(query) %}
{% endfor %}
{% if numbered_key %}
    {% set number = numbered_key | last %}
    {% set query %}
    select
        {{ named_values(numbered_key) }} as row_key,
        '{{ numbered_key | join(", ") }} is unique' as rule
    from (
        select {{ numbered_key | join(', ') }}
        from {{ model }} as numbered
        semi join (
            select {{ numbered_key[:-1] | join(', ') }}, {{ number }} // 512 as block
            from {{ model }}
            group by all
            having
                count(*) > coalesce(bit_count(
                    bitstring_agg(({{ number }} % 512)::integer, 0, 511)
                ), 0)
        ) as crowded
            on
                {%- for column in numbered_key[:-1] %}
                    numbered.{{ column }} is not distinct from crowded.{{ column }} and
                {%- endfor %}
                numbered.{{ number }} // 512 is not distinct from crowded.block
        group by all
        having count(*) > 1
    )
    {% endset %}
    {% do queries.append(query) %}
{% endif %}
{% for each in relationships %}
    {% set field = each.field or each.column %}
    {% set query %}
    select
        {{ row_key }} as row_key,
        '{{ each.column }} is a {{ field }} of {{ each.to.identifier }}' as rule
    from {{ model }}
    where
        {{ 'true' if not each.where else '(' ~ each.where ~ ')' }}
        and {{ each.column }} not in (select {{ field }} from {{ each.to }} where {{ field }} is not null)
    {% endset %}
    {% do queries.append(query) %}
{% endfor %}
select '{{ model.identifier }}' as model, rule, row_key
from ({{ queries | join(' union all ') }})
{% endtest %}

{# Columns of a row as one text: name=value, separated by commas. #}
{% macro named_values(columns) -%}
    concat_ws(
        ', '
        {%- for column in columns -%}
            , '{{ column }}=' || coalesce({{ column }}::varchar, 'null')
        {%- endfor -%}
    )
{%- endmacro %}
