{# The names of things that are written in more than one model. #}

{% macro human() %}'human'{% endmacro %}

{# Whether who judges in a log of debates is a person, or several. #}
{% macro is_person(judge) %}starts_with({{ judge }}, {{ human() }} || '/'){% endmacro %}

{# Whether a judge is several judges' answers put together: never one judge among others. #}
{% macro is_ensemble(judge_id) %}starts_with({{ judge_id }}, 'ensemble/'){% endmacro %}

{# A judge's failures, under each rule a figure is given for (STATISTICS: failures). #}
{% macro excluded() %}'excluded'{% endmacro %}
{% macro nearest() %}'nearest'{% endmacro %}
{% macro farthest() %}'farthest'{% endmacro %}
{% macro released() %}'released'{% endmacro %}

{# A judge's scores against people's means, on the items it scored with reasons and without. #}
{% macro pooled_on_both() %}'pooled_on_both'{% endmacro %}

{# A judge's scores against people's means, on the items another judge has scored too. #}
{% macro pooled_on_ground() %}'pooled_on_ground'{% endmacro %}

{# Billions of parameters at which the speech paper sees a turning point (Section 1). #}
{% macro paper_turning_size() %}7{% endmacro %}

{#
With fewer sizes two lines that meet would fit anything (`MIN_SIZES` of warehouse/fits/sizes.py).
#}
{% macro min_sizes_for_turning() %}5{% endmacro %}

{% macro unparsed() %}'unparsed'{% endmacro %}

{#
What is answered: a score on a scale, a verdict on a debate, a question, how likely a text is, who won a
parliamentary debate and how everybody spoke, a debate about a story's question, which of its answers is
right, a speech on a topic, or a verdict once more under pressure.
#}
{% macro score() %}'score'{% endmacro %}
{% macro verdict() %}'verdict'{% endmacro %}
{% macro answer() %}'answer'{% endmacro %}
{% macro likelihood() %}'likelihood'{% endmacro %}
{% macro adjudication() %}'adjudication'{% endmacro %}
{% macro transcript() %}'transcript'{% endmacro %}
{% macro judgement() %}'judgement'{% endmacro %}
{% macro writing() %}'writing'{% endmacro %}
{% macro pressed_verdict() %}'pressed verdict'{% endmacro %}

{# What is scored. #}
{% macro speech() %}'speech'{% endmacro %}

{# Metrics of answers to debatable questions. #}
{% macro perspective_diversity() %}'perspective_diversity'{% endmacro %}
{% macro dispute_awareness() %}'dispute_awareness'{% endmacro %}

{#
Key points. All judges of an analysis together; what is said of sentences that are under a less frequent
key point than those of a polarity that are drawn, and under none.
#}
{% macro all_judges() %}'all'{% endmacro %}
{% macro drawn_key_points() %}3{% endmacro %}
{% macro no_key_point() %}'none'{% endmacro %}
{% macro other_key_points(polarity) %}'other/' || {{ polarity }}{% endmacro %}

{# A share of people or repeats as the label of most of them; an even one has none. #}
{% macro aware_label(share) -%}
    case when {{ share }} > 0.5 then 'aware' when {{ share }} < 0.5 then 'unaware' end
{%- endmacro %}

{# Which answer a probability of answer 0 leans to. #}
{% macro leaning_label(lean) -%}
    case when {{ lean }} > 0.5 then 'answer 0' when {{ lean }} < 0.5 then 'answer 1' when {{ lean }} = 0.5 then 'tie' end
{%- endmacro %}
