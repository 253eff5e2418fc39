{# What is counted in texts. #}

{# How many words there are: what white space, line breaks among it, keeps apart. #}
{% macro words_in(text) -%}
    len(regexp_extract_all({{ text }}, '\S+'))
{%- endmacro %}
