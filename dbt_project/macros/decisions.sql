{#
What a share of verdicts for Con, or a probability of Con, decides: 1 for Con, 0 for Pro, a half for a
tie; null where it is unknown.
#}
{% macro decided_con(share) -%}
    (sign(round({{ share }} - 0.5, 9)) + 1) / 2.0
{%- endmacro %}

{# Whom one debate's verdicts under one setting name, from their majority; unknown if none was read. #}
{% macro unit_winner() -%}
    case
        when units.parsed_count > 0
            then case units.is_con when true then 'con' when false then 'pro' else 'tie' end
    end
{%- endmacro %}

{# A share as text in percent, to three digits. #}
{% macro percent(share) -%}
    (format('{:.3g}', 100.0 * {{ share }}) || ' %')
{%- endmacro %}

{# An amount of US dollars as text: cents, or two digits of less than ten cents. #}
{% macro dollars(amount) -%}
    case
        when {{ amount }} >= 0.1 then format('{:,.2f}', {{ amount }})
        else format('{:.2g}', {{ amount }})
    end || ' US dollars'
{%- endmacro %}

{#
The numbers that a decision rests on, as JSON: by measure, its column and the column that says of how many
units it is. The ends of its interval are in the columns of its name with `_low` and `_high`.
#}
{% macro numbers(measures) -%}
    to_json([
        {%- for measure, (column, n) in measures.items() %}
            {
                measure: '{{ measure }}', value: {{ column }}, low: {{ column }}_low,
                high: {{ column }}_high, n: {{ n }}
            }{{ ',' if not loop.last }}
        {%- endfor %}
    ])
{%- endmacro %}
