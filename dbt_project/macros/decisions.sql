{#
What a share of verdicts for Con, or a probability of Con, decides: 1 for Con, 0 for Pro, a half for a
tie; null where it is unknown.
#}
{% macro decided_con(share) -%}
    (sign(round({{ share }} - 0.5, 9)) + 1) / 2.0
{%- endmacro %}
