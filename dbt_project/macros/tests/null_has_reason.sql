{# A figure is unknown exactly where the row says why. #}
{% test null_has_reason(model, column_name, reason) %}
select {{ column_name }}, {{ reason }}
from {{ model }}
where ({{ column_name }} is null) != ({{ reason }} is not null)
{% endtest %}
