{#
The set of two labels a verbalizer chooses from, whichever side has which: 'A/B' for A/B, B/A and
random A/B. Sets that the paper names another way than by the alphabet keep the paper's name. Null
unless there are two labels.
#}
{% macro label_set(verbalizer) -%}
    {%- set first = "split_part(replace(" ~ verbalizer ~ ", 'random ', ''), '/', 1)" -%}
    {%- set second = "split_part(replace(" ~ verbalizer ~ ", 'random ', ''), '/', 2)" -%}
    case
        when {{ verbalizer }} not like '%/%' or {{ verbalizer }} like '%/%/%' then null
        {%- for name in ['Pro/Con', 'pro/con', 'P/C', '1/-1'] %}
        {%- set labels = name.split('/') %}
        when
            least({{ first }}, {{ second }}) = least('{{ labels[0] }}', '{{ labels[1] }}')
            and greatest({{ first }}, {{ second }}) = greatest('{{ labels[0] }}', '{{ labels[1] }}')
            then '{{ name }}'
        {%- endfor %}
        else least({{ first }}, {{ second }}) || '/' || greatest({{ first }}, {{ second }})
    end
{%- endmacro %}
