{#
McNemar's test where debates come in clusters: a cluster counts for the side that has more of its
discordant debates. With one debate per cluster each of these is McNemar's own.

Args:
    b, c: debates where only the first, only the second is yes.
    clusters_b, clusters_c: clusters with more of the first kind, of the second.
    squares: sum over clusters of the squared difference of the two counts.
#}

{# Durkalski, Palesch, Lipsitz and Rust (2003): (b - c)^2 over the sum of squares; one df. #}
{% macro mcnemar_of_clusters(b, c, squares) -%}
    ({{ b }} - {{ c }}) ^ 2 / nullif({{ squares }}, 0)::double
{%- endmacro %}

{# The one p that is quoted: the sign test of clusters under 25 discordant ones, else the above. #}
{% macro quoted_p_of_clusters(b, c, clusters_b, clusters_c, squares) -%}
    case
        when {{ clusters_b }} + {{ clusters_c }} < {{ exact_below() }}
            then binomial_two_sided(({{ clusters_b }})::double, ({{ clusters_b }} + {{ clusters_c }})::double)
        else chi_square_p({{ mcnemar_of_clusters(b, c, squares) }}, 1::double)
    end
{%- endmacro %}

{# Which of the two it is; null where no cluster is discordant, and there is no p. #}
{% macro quoted_p_kind_of_clusters(clusters_b, clusters_c, n_units, n_clusters) -%}
    case
        when {{ clusters_b }} + {{ clusters_c }} > 0
            then
                case when {{ clusters_b }} + {{ clusters_c }} < {{ exact_below() }} then 'exact' else 'uncorrected' end
                || case when {{ n_clusters }} < {{ n_units }} then ' by cluster' else '' end
    end
{%- endmacro %}

{#
Half width of the 95 % interval of a mean paired difference, from sums over clusters: n clusters, N
units, m the mean, D a cluster's difference and U its units,
t(n - 1) * sqrt(n / (n - 1) * sum((D - m U)^2)) / N.
Null under var('min_units_for_interval') clusters, and where every cluster has the same difference,
which says nothing of how differences spread.

Args:
    squares, products, unit_squares: the sums of D^2, D U and U^2; quantile: of t at 97.5 %.
#}
{% macro paired_half_width(
    mean, squares, products, unit_squares, n_units, n_clusters, is_varied, quantile
) -%}
    case
        when {{ n_clusters }} >= {{ var('min_units_for_interval') }} and {{ is_varied }}
            then {{ quantile }} * sqrt(
                {{ n_clusters }} / ({{ n_clusters }} - 1.0) * greatest(0.0,
                    {{ squares }} - 2 * {{ mean }} * {{ products }} + {{ mean }} ^ 2 * {{ unit_squares }}
                )
            ) / {{ n_units }}
    end
{%- endmacro %}

{#
The two-proportion z of two shares as if they came from different debates, with the variance pooled
(the paper's test of position); null where the pooled share is 0 or 1.
#}
{% macro two_proportion_z(sum_a, n_a, sum_b, n_b) -%}
    ({{ sum_a }} / {{ n_a }} - {{ sum_b }} / {{ n_b }}) / nullif(sqrt(greatest(0.0,
        ({{ sum_a }} + {{ sum_b }}) / ({{ n_a }} + {{ n_b }})
        * (1 - ({{ sum_a }} + {{ sum_b }}) / ({{ n_a }} + {{ n_b }}))
        * (1.0 / {{ n_a }} + 1.0 / {{ n_b }})
    )), 0)
{%- endmacro %}
