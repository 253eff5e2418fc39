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

{# The least number of speeches a pair of people shares to count: the smallest that is reported. #}
{% macro kappa_min_shared() %}{{ var('min_shared_items') | sort | list | first }}{% endmacro %}

{# Sums over a pair's shared speeches, with a score beside both people's `a` and `b`. #}
{% macro swap_in_sums(score) -%}
    count(*) as n_shared,
    sum({{ score }}) as sum_score,
    sum(a) as sum_a,
    sum(b) as sum_b,
    sum(({{ score }} - a) * ({{ score }} - a)) as squared_a,
    sum(({{ score }} - b) * ({{ score }} - b)) as squared_b,
    sum({{ score }} * {{ score }} + a * a) as squares_a,
    sum({{ score }} * {{ score }} + b * b) as squares_b,
    min({{ score }}) as min_score,
    max({{ score }}) as max_score
{%- endmacro %}

{# The two kappas of a score in the place of one of a pair, from `swap_in_sums`. #}
{% macro swap_in_kappas() -%}
    {{ quadratic_kappa(
        'n_shared', 'squared_a', 'squares_a', 'sum_score', 'sum_a', 'min_score', 'max_score'
    ) }} as kappa_a,
    {{ quadratic_kappa(
        'n_shared', 'squared_b', 'squares_b', 'sum_score', 'sum_b', 'min_score', 'max_score'
    ) }} as kappa_b
{%- endmacro %}
