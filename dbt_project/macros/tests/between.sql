{# Every value of the named columns that is not null lies between two bounds, both included. #}
{% test between(model, columns, low, high) %}
select {{ columns | join(', ') }}
from {{ model }}
where
    {% for column in columns %}
        {{ column }} < {{ low }} - 1e-12 or {{ column }} > {{ high }} + 1e-12
        {{ 'or' if not loop.last }}
    {% endfor %}
{% endtest %}
