{#
Quadratic-weighted Cohen's kappa of two raters from sums over their n shared items.

With equally spaced categories the weighted table reduces to
1 - n * sum((x - y)^2) / (n * sum(x^2 + y^2) - 2 * sum(x) * sum(y)),
which is exact for whole-number scores. Null only where the denominator is 0: both raters constant
on the same value. One constant rater gives 0.

Cohen (1968), Psychological Bulletin 70(4).
#}
{% macro quadratic_kappa(n, sum_squared_difference, sum_squares, sum_x, sum_y, min_x, max_x) -%}
    case
        when {{ sum_squared_difference }} = 0 and {{ min_x }} = {{ max_x }} then null
        else
            1 - {{ n }} * {{ sum_squared_difference }}
            / ({{ n }} * {{ sum_squares }} - 2 * {{ sum_x }} * {{ sum_y }})
    end
{%- endmacro %}
