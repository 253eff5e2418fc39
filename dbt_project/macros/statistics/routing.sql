{#
How uncertain an answer is, which is what answers are sorted by: half the width of a score's interval,
in the scale's units; of a label what the judge leaves to the other one.
#}
{% macro routing_uncertainty(predictions, radii) -%}
    round(
        case
            when {{ predictions }}.is_label then 0.5 - abs({{ predictions }}.judge_value - 0.5)
            else {{ radii }}.radius * {{ predictions }}.spread
        end, 12
    )
{%- endmacro %}

{# Why nothing can be said of a judge's uncertainty. #}
{% macro why_not_routed() -%}
    'fewer than ' || (round(1 / (1 - {{ var('routing_coverage') }})) - 1)::integer
    || ' topics to calibrate on in each third of the topics that people and the judge both answered'
{%- endmacro %}

{# In which fifth of the scores that were fitted a score lies, from 0; on an edge, in the lower one. #}
{% macro routing_band(edges, score) -%}
    len(list_filter({{ edges }}, edge -> edge < {{ score }} - 1e-9))
{%- endmacro %}
