{#
The columns of each list never run backwards where all of them are known: each is at most the next.
#}
{% test ordered(model, columns) %}
select {{ columns | sum(start=[]) | join(', ') }}
from {{ model }}
where
    {% for chain in columns %}
        {% set is_last = loop.last %}
        {% for column in chain[1:] %}
            {{ chain[loop.index0] }} > {{ column }} + 1e-9
            {{ 'or' if not (loop.last and is_last) }}
        {% endfor %}
    {% endfor %}
{% endtest %}
