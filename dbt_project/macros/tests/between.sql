{# Every value that is not null lies between two bounds, both included. #}
{% test between(model, column_name, low, high) %}
select {{ column_name }}
from {{ model }}
where {{ column_name }} < {{ low }} - 1e-12 or {{ column_name }} > {{ high }} + 1e-12
{% endtest %}
