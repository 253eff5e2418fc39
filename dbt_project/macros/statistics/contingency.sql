{#
Tests on tables of two by two. Everything is null where it is undefined, and counts are units.

Paired: of two yes-or-no answers on the same units, `b` counts the units where only the first is yes,
`c` those where only the second is.
Unpaired: the table's rows are (a, b) and (c, d), the first column is what the shares count.
#}

{# McNemar's statistic (1947), without correction: (b - c)^2 / (b + c). One degree of freedom. #}
{% macro mcnemar(b, c) -%}
    ({{ b }} - {{ c }}) ^ 2 / nullif({{ b }} + {{ c }}, 0)::double
{%- endmacro %}

{#
The same with Edwards' correction (1948): (|b - c| - 1)^2 / (b + c). Where b = c there is nothing left
to correct and it is 0 (statsmodels squares the overshoot there and gives 1 / (b + c)).
#}
{% macro mcnemar_corrected(b, c) -%}
    greatest(abs({{ b }} - {{ c }}) - 1, 0) ^ 2 / nullif({{ b }} + {{ c }}, 0)::double
{%- endmacro %}

{# p of McNemar's statistic, and of the corrected one: chi-square with one degree of freedom. #}
{% macro mcnemar_p(b, c) -%}
    chi_square_p({{ mcnemar(b, c) }}, 1::double)
{%- endmacro %}

{% macro mcnemar_corrected_p(b, c) -%}
    chi_square_p({{ mcnemar_corrected(b, c) }}, 1::double)
{%- endmacro %}

{# Exact two-sided p: b of b + c discordant pairs, each as likely as the other. #}
{% macro mcnemar_exact_p(b, c) -%}
    binomial_two_sided(({{ b }})::double, ({{ b }} + {{ c }})::double)
{%- endmacro %}

{# Below this many discordant pairs the chi-square of McNemar's test is a poor approximation. #}
{% macro exact_below() %}25{% endmacro %}

{# The product of a table's four margins; null where one of them is empty. #}
{% macro margins(a, b, c, d) -%}
    nullif(
        ({{ a }} + {{ b }})::double * ({{ c }} + {{ d }}) * ({{ a }} + {{ c }}) * ({{ b }} + {{ d }}), 0
    )
{%- endmacro %}

{# Pearson's chi-square of a table, n (ad - bc)^2 over the product of the margins. #}
{% macro chi_square(a, b, c, d) -%}
    ({{ a }} + {{ b }} + {{ c }} + {{ d }})
    * ({{ a }}::double * {{ d }} - {{ b }}::double * {{ c }}) ^ 2 / {{ margins(a, b, c, d) }}
{%- endmacro %}

{# The same with Yates's correction, which takes at most what there is. #}
{% macro chi_square_yates(a, b, c, d) -%}
    ({{ a }} + {{ b }} + {{ c }} + {{ d }})
    * greatest(
        abs({{ a }}::double * {{ d }} - {{ b }}::double * {{ c }})
        - ({{ a }} + {{ b }} + {{ c }} + {{ d }}) / 2.0,
        0
    ) ^ 2 / {{ margins(a, b, c, d) }}
{%- endmacro %}

{#
Phi, the correlation of a table's two sides, with its sign: positive where a and d outweigh b and c.
#}
{% macro phi(a, b, c, d) -%}
    ({{ a }}::double * {{ d }} - {{ b }}::double * {{ c }}) / sqrt({{ margins(a, b, c, d) }})
{%- endmacro %}

{# Phi from the corrected chi-square, sqrt(chi-square / n), with the sign of phi. #}
{% macro phi_yates(a, b, c, d) -%}
    sign({{ a }}::double * {{ d }} - {{ b }}::double * {{ c }})
    * sqrt({{ chi_square_yates(a, b, c, d) }} / ({{ a }} + {{ b }} + {{ c }} + {{ d }}))
{%- endmacro %}

{# Odds ratio ad / bc; null where a cell is empty, where it would be 0 or infinite. #}
{% macro odds_ratio(a, b, c, d) -%}
    case
        when least({{ a }}, {{ b }}, {{ c }}, {{ d }}) > 0
            then {{ a }}::double * {{ d }} / ({{ b }}::double * {{ c }})
    end
{%- endmacro %}

{#
One end of the odds ratio's 95 % interval (Woolf 1955); sign -1 for the low end, 1 for the high one.
#}
{% macro odds_ratio_bound(a, b, c, d, sign) -%}
    case
        when least({{ a }}, {{ b }}, {{ c }}, {{ d }}) > 0
            then exp(
                ln({{ a }}::double * {{ d }} / ({{ b }}::double * {{ c }}))
                + {{ sign }} * 1.959963984540054
                * sqrt(1.0 / {{ a }} + 1.0 / {{ b }} + 1.0 / {{ c }} + 1.0 / {{ d }})
            )
    end
{%- endmacro %}

{#
Mantel and Haenszel's odds ratio (1959) over the strata a group has: one row per stratum, n its size.
Null where nothing is in the numerator's or in the denominator's cells.
#}
{% macro mh_odds_ratio(a, b, c, d, n) -%}
    nullif(sum({{ a }}::double * {{ d }} / {{ n }}), 0)
    / nullif(sum({{ b }}::double * {{ c }} / {{ n }}), 0)
{%- endmacro %}

{# Variance of its logarithm (Robins, Breslow and Greenland 1986). #}
{% macro mh_log_odds_variance(a, b, c, d, n) -%}
    {%- set diagonal = "(" ~ a ~ "::double * " ~ d ~ " / " ~ n ~ ")" -%}
    {%- set other = "(" ~ b ~ "::double * " ~ c ~ " / " ~ n ~ ")" -%}
    {%- set p = "((" ~ a ~ " + " ~ d ~ ") / " ~ n ~ ")" -%}
    {%- set q = "((" ~ b ~ " + " ~ c ~ ") / " ~ n ~ ")" -%}
    sum({{ p }} * {{ diagonal }}) / nullif(2 * sum({{ diagonal }}) ^ 2, 0)
    + sum({{ p }} * {{ other }} + {{ q }} * {{ diagonal }})
    / nullif(2 * sum({{ diagonal }}) * sum({{ other }}), 0)
    + sum({{ q }} * {{ other }}) / nullif(2 * sum({{ other }}) ^ 2, 0)
{%- endmacro %}

{#
The difference of the first column's share between the rows, pooled by Mantel-Haenszel weights.
#}
{% macro mh_difference(a, b, c, d, n) -%}
    sum(({{ a }}::double * ({{ c }} + {{ d }}) - {{ c }}::double * ({{ a }} + {{ b }})) / {{ n }})
    / nullif(sum(({{ a }} + {{ b }})::double * ({{ c }} + {{ d }}) / {{ n }}), 0)
{%- endmacro %}

{# Cochran, Mantel and Haenszel's chi-square without correction; strata of one unit say nothing. #}
{% macro mh_chi_square(a, b, c, d, n) -%}
    sum(({{ a }}::double * {{ d }} - {{ b }}::double * {{ c }}) / {{ n }}) filter (where {{ n }} > 1) ^ 2
    / nullif(
        sum(
            coalesce({{ margins(a, b, c, d) }}, 0) / ({{ n }}::double * {{ n }} * ({{ n }} - 1.0))
        ) filter (where {{ n }} > 1),
        0
    )
{%- endmacro %}

{#
The same difference of means, from one row that holds the strata's sums: sum_STRATUM_con over
n_STRATUM_con debates that Con closes, sum_STRATUM_pro over n_STRATUM_pro that Pro closes.

Args:
    strata: their names; prefix: of the relation, with its dot.
#}
{% macro mh_mean_difference(strata, prefix='') -%}
    {%- set products = [] -%}
    {%- set weights = [] -%}
    {%- for stratum in strata -%}
        {%- set n_con = prefix ~ 'n_' ~ stratum ~ '_con' -%}
        {%- set n_pro = prefix ~ 'n_' ~ stratum ~ '_pro' -%}
        {%- set both = 'nullif(' ~ n_con ~ ' + ' ~ n_pro ~ ', 0)' -%}
        {%- do products.append(
            'coalesce((' ~ prefix ~ 'sum_' ~ stratum ~ '_con * ' ~ n_pro ~ ' - ' ~ prefix ~ 'sum_'
            ~ stratum ~ '_pro * ' ~ n_con ~ ') / ' ~ both ~ ', 0)'
        ) -%}
        {%- do weights.append('coalesce(' ~ n_con ~ ' * ' ~ n_pro ~ ' / ' ~ both ~ ', 0)') -%}
    {%- endfor -%}
    ({{ products | join(' + ') }}) / nullif({{ weights | join(' + ') }}, 0)
{%- endmacro %}
