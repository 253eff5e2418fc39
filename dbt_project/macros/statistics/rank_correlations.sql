{#
Kendall's tau-c (Stuart 1953): 2 m S / (n^2 (m - 1)), with S concordant minus discordant pairs and m
the smaller number of observed values. Null where one side is constant.
#}
{% macro tau_c(concordance, n, m) -%}
    case when {{ m }} > 1 then 2.0 * {{ m }} * {{ concordance }} / ({{ n }} * {{ n }} * ({{ m }} - 1.0)) end
{%- endmacro %}

{#
Kendall's tau-b (Kendall 1945): S / sqrt((n0 - n1) (n0 - n2)), with n0 all pairs, n1 and n2 those
tied on either side. Null where one side is constant.
#}
{% macro tau_b(concordance, n, tied_x, tied_y) -%}
    case
        when {{ n }} * ({{ n }} - 1) / 2.0 > {{ tied_x }} and {{ n }} * ({{ n }} - 1) / 2.0 > {{ tied_y }}
            then {{ concordance }} / sqrt(
                ({{ n }} * ({{ n }} - 1) / 2.0 - {{ tied_x }})
                * ({{ n }} * ({{ n }} - 1) / 2.0 - {{ tied_y }})
            )
    end
{%- endmacro %}

{# Pearson's r from sums, over values that vary on both sides (`is_varied`); else null. #}
{% macro pearson_from_sums(n, sum_x, sum_y, sum_xx, sum_yy, sum_xy, is_varied) -%}
    case
        when
            {{ is_varied }}
            and {{ n }} * {{ sum_xx }} > {{ sum_x }} * {{ sum_x }}
            and {{ n }} * {{ sum_yy }} > {{ sum_y }} * {{ sum_y }}
            then greatest(-1.0, least(1.0,
                ({{ n }} * {{ sum_xy }} - {{ sum_x }} * {{ sum_y }}) / (
                    sqrt({{ n }} * {{ sum_xx }} - {{ sum_x }} * {{ sum_x }})
                    * sqrt({{ n }} * {{ sum_yy }} - {{ sum_y }} * {{ sum_y }})
                )
            ))
    end
{%- endmacro %}
