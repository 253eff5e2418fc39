{# The names of things that are written in more than one model. #}

{% macro human() %}'human'{% endmacro %}

{# A judge's failures, under each rule a figure is given for (STATISTICS: failures). #}
{% macro excluded() %}'excluded'{% endmacro %}
{% macro nearest() %}'nearest'{% endmacro %}
{% macro farthest() %}'farthest'{% endmacro %}
{% macro released() %}'released'{% endmacro %}

{% macro unparsed() %}'unparsed'{% endmacro %}

{# What is answered: a score on a scale, or a verdict on a debate. #}
{% macro score() %}'score'{% endmacro %}
{% macro verdict() %}'verdict'{% endmacro %}
