{#
Measures of rankings and scores of one debate against its panel, what guessing gives, and the figures
made of many debates. Guessing is in closed form and for the debate's own ties.
#}

{#
The measures of a ranking: name, better values, least and greatest value (of n places), and kind.
#}
{% macro ranking_measures() -%}
    {{ return([
        {'name': 'sum_rank_difference', 'better': 'lower', 'low': 0, 'is_share': false},
        {'name': 'mean_rank_difference', 'better': 'lower', 'low': 0, 'is_share': false},
        {'name': 'exact_match', 'better': 'higher', 'is_share': true},
        {'name': 'pair_accuracy', 'better': 'higher', 'is_share': true},
        {'name': 'kendall_tau', 'better': 'higher', 'low': -1, 'high': 1, 'is_share': false},
        {'name': 'top_accuracy', 'better': 'higher', 'is_share': true},
        {'name': 'bottom_accuracy', 'better': 'higher', 'is_share': true},
        {'name': 'place_accuracy', 'better': 'higher', 'is_share': true},
    ]) }}
{%- endmacro %}

{#
Expected absolute difference between `official` and a rank drawn evenly from 1 to n:
with f whole ranks at or below it, (f g - f(f+1)/2 + n(n+1)/2 - f(f+1)/2 - (n-f) g) / n.
#}
{% macro expected_rank_difference(official, n) -%}
    (
        (2 * floor({{ official }}) - {{ n }}) * {{ official }}
        - floor({{ official }}) * (floor({{ official }}) + 1) + {{ n }} * ({{ n }} + 1) / 2
    ) / {{ n }}::double
{%- endmacro %}

{#
Least sum of absolute differences of any ranking, as one place's part of it: k places that share a
mid-rank must take k different ranks around it, which costs floor(k^2 / 4).
#}
{% macro least_rank_difference(tie_size) -%}
    floor({{ tie_size }} * {{ tie_size }} / 4.0) / {{ tie_size }}
{%- endmacro %}

{#
Greatest sum, likewise: the panel's order reversed. Tied places take the ranks that mirror their own.
#}
{% macro greatest_rank_difference(official, tie_size, n) -%}
    list_avg(list_transform(
        range({{ tie_size }}),
        lambda step: abs(2 * {{ official }} - {{ n }} - 1 - ({{ tie_size }} - 1) / 2.0 + step)
    ))
{%- endmacro %}

{# Concordant less discordant pairs of two sides in wide columns; unknown places have no part. #}
{% macro concordance(first, second, places) -%}
    {% for one in range(1, places + 1) %}{% for other in range(one + 1, places + 1) %}
        coalesce(
            sign({{ first }}{{ one }} - {{ first }}{{ other }})
            * sign({{ second }}{{ one }} - {{ second }}{{ other }}), 0
        ) {{ '+' if not (one == places - 1) }}
    {% endfor %}{% endfor %}
{%- endmacro %}

{# Pairs tied on a side in wide columns. #}
{% macro tied_pairs(side, places) -%}
    {% for one in range(1, places + 1) %}{% for other in range(one + 1, places + 1) %}
        coalesce(({{ side }}{{ one }} = {{ side }}{{ other }})::int, 0) {{ '+' if not (one == places - 1) }}
    {% endfor %}{% endfor %}
{%- endmacro %}

{#
The share of the places named best that are among the panel's best, from wide columns; with 'greatest'
of those named worst that are among its worst.
#}
{% macro end_accuracy(predicted, predicted_end, official, official_end, places) -%}
    (
        {% for place in range(1, places + 1) %}
            coalesce((
                {{ predicted }}{{ place }} = {{ predicted_end }}
                and {{ official }}{{ place }} = {{ official_end }}
            )::int, 0) {{ '+' if not loop.last }}
        {% endfor %}
    ) / nullif(
        {% for place in range(1, places + 1) %}
            coalesce(({{ predicted }}{{ place }} = {{ predicted_end }})::int, 0) {{ '+' if not loop.last }}
        {% endfor %}, 0
    )::double
{%- endmacro %}

{# The measures of scores: better values, least and greatest value, and how they are made. #}
{% macro score_measures() -%}
    {{ return([
        {'name': 'mae', 'better': 'lower', 'low': 0, 'kind': 'mean'},
        {'name': 'rmse', 'better': 'lower', 'low': 0, 'kind': 'pooled'},
        {'name': 'bias', 'better': 'zero', 'kind': 'mean'},
        {'name': 'correlation', 'better': 'higher', 'low': -1, 'high': 1, 'kind': 'pooled'},
        {'name': 'correlation_within', 'better': 'higher', 'low': -1, 'high': 1, 'kind': 'mean'},
        {'name': 'correlation_between', 'better': 'higher', 'low': -1, 'high': 1, 'kind': 'pooled'},
        {'name': 'calibration_slope', 'better': 'one', 'kind': 'pooled'},
        {'name': 'calibration_intercept', 'better': 'zero', 'kind': 'pooled'},
        {'name': 'sd_ratio', 'better': 'one', 'low': 0, 'kind': 'pooled'},
    ]) }}
{%- endmacro %}

{#
Whether n values, of which these are the sum and the sum of squares, vary at all: by more than what
adding up leaves over. Scores are kept less 75, so that this is little.
#}
{% macro varies(n, sum_x, sum_xx) -%}
    ({{ n }} * {{ sum_xx }} - {{ sum_x }} * {{ sum_x }} > 1e-9 * {{ n }} * {{ n }})
{%- endmacro %}

{#
One pooled measure of scores from sums over debates. x is predicted and y official, both less 75.

Args:
    measure: its name; sums: maps n, x, y, xx, yy, xy (over speeches), debates, mx, my, mxx, myy, mxy
        (over debates' means) and squared (of debates' mean squared errors) to expressions.
#}
{% macro pooled_score_measure(measure, sums) -%}
    {%- set s = sums -%}
    {%- set slope -%}
        ({{ s.n }} * {{ s.xy }} - {{ s.x }} * {{ s.y }}) / ({{ s.n }} * {{ s.xx }} - {{ s.x }} * {{ s.x }})
    {%- endset -%}
    {%- if measure == 'rmse' -%}
        case when {{ s.debates }} > 0 then sqrt(greatest(0.0, {{ s.squared }} / {{ s.debates }})) end
    {%- elif measure == 'correlation' -%}
        {{ pearson_from_sums(
            s.n, s.x, s.y, s.xx, s.yy, s.xy,
            varies(s.n, s.x, s.xx) ~ ' and ' ~ varies(s.n, s.y, s.yy)
        ) }}
    {%- elif measure == 'correlation_between' -%}
        {{ pearson_from_sums(
            s.debates, s.mx, s.my, s.mxx, s.myy, s.mxy,
            varies(s.debates, s.mx, s.mxx) ~ ' and ' ~ varies(s.debates, s.my, s.myy)
        ) }}
    {%- elif measure == 'calibration_slope' -%}
        case when {{ varies(s.n, s.x, s.xx) }} then {{ slope }} end
    {%- elif measure == 'calibration_intercept' -%}
        case
            when {{ varies(s.n, s.x, s.xx) }}
                then 75 + {{ s.y }} / {{ s.n }} - ({{ slope }}) * (75 + {{ s.x }} / {{ s.n }})
        end
    {%- elif measure == 'sd_ratio' -%}
        case
            when {{ varies(s.n, s.y, s.yy) }}
                then sqrt(greatest(0.0,
                    ({{ s.n }} * {{ s.xx }} - {{ s.x }} * {{ s.x }})
                    / ({{ s.n }} * {{ s.yy }} - {{ s.y }} * {{ s.y }})
                ))
        end
    {%- else -%}
        {{ exceptions.raise_compiler_error("pooled_score_measure: no measure named '" ~ measure ~ "'") }}
    {%- endif -%}
{%- endmacro %}
