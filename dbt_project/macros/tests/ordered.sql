{# The named columns never run backwards where all of them are known: each is at most the next. #}
{% test ordered(model, columns) %}
select {{ columns | join(', ') }}
from {{ model }}
where
    {% for column in columns[1:] %}
        {{ columns[loop.index0] }} > {{ column }} + 1e-9
        {{ 'or' if not loop.last }}
    {% endfor %}
{% endtest %}
