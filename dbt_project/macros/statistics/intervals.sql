{#
Half width of the 95 % interval of a jackknife over `groups` deleted clusters, from the population
variance of the leave-one-out values: t(groups - 1) * sqrt((groups - 1) * variance).
Null under var('min_units_for_interval') clusters, and where no cluster left out changes the value.

Efron and Stein (1981); with more clusters than var('jackknife_groups') whole groups of clusters are
deleted instead (Kott 2001).
#}
{% macro jackknife_half_width(variance, groups) -%}
    case
        when {{ groups }} >= {{ var('min_units_for_interval') }}
            then {{ spread(
                "student_t_quantile(0.975::double, (" ~ groups ~ " - 1)::double) * sqrt(("
                ~ groups ~ " - 1) * " ~ variance ~ ")"
            ) }}
    end
{%- endmacro %}

{#
Variance of a mean over clusters of unequal size (ratio estimator, linearised): per cluster the sum
and the count, over the whole the mean and the number of observations.
#}
{% macro clustered_variance(cluster_sum, cluster_count, mean, n_observations, n_clusters) -%}
    any_value({{ n_clusters }}) / nullif(any_value({{ n_clusters }}) - 1.0, 0)
    * sum(({{ cluster_sum }} - {{ mean }} * {{ cluster_count }}) ^ 2)
    / (any_value({{ n_observations }}) * any_value({{ n_observations }})::double)
{%- endmacro %}

{#
Half width of a mean's 95 % interval from its clustered variance; null with too few clusters, and where
the clusters are all alike.
#}
{% macro clustered_half_width(variance, n_clusters) -%}
    case
        when {{ n_clusters }} >= {{ var('min_units_for_interval') }}
            then {{ spread(
                "student_t_quantile(0.975::double, (" ~ n_clusters ~ " - 1)::double) * sqrt("
                ~ variance ~ ")"
            ) }}
    end
{%- endmacro %}

{#
The same half width, of a select that groups rows of one cluster each, with its sum and its count.

Args:
    n_clusters: less than all rows where some have nothing to count.
#}
{% macro half_width_over_clusters(cluster_sum, cluster_count, n_clusters='count(*)') -%}
    {%- set total = "nullif(sum(" ~ cluster_count ~ "), 0)" -%}
    {{ clustered_half_width(
        n_clusters ~ " / nullif(" ~ n_clusters ~ " - 1.0, 0) * list_sum(list_transform(list({'sum': "
        ~ cluster_sum ~ ", 'count': " ~ cluster_count ~ "}), lambda cluster: (cluster.sum - sum("
        ~ cluster_sum ~ ") / " ~ total ~ " * cluster.count) ^ 2)) / (" ~ total ~ " * " ~ total
        ~ "::double)",
        n_clusters
    ) }}
{%- endmacro %}

{#
One end of Wilson's 95 % interval of a share (Wilson 1927).

Args:
    share: the share; n: the (effective) number of observations; sign: -1 for the low end, 1 for the
    high one. The low end of a share of 0 is 0 and the high end of 1 is 1, without the rounding errors
    of the formula.
#}
{% macro wilson_bound(share, n, sign) -%}
    case
        when {{ n }} > 0 and {{ share }} {{ '<= 0' if sign < 0 else '>= 1' }}
            then {{ '0.0' if sign < 0 else '1.0' }}
        when {{ n }} > 0 and ({{ share }}) is not null
            then greatest(0.0, least(1.0, (
                {{ share }} + 1.9207294103470627 / {{ n }}
                + {{ sign }} * 1.959963984540054 * sqrt(
                    {{ share }} * (1 - {{ share }}) / {{ n }}
                    + 0.9603647051735313 / ({{ n }} * {{ n }})
                )
            ) / (1 + 3.8414588206941254 / {{ n }})))
    end
{%- endmacro %}

{#
One end of an interval of a mean of scores: a mean cannot lie outside the scale its scores are given on.

Args:
    half_width: of the interval; null where there is none.
    sign: -1 for the low end, 1 for the high one.
    scale: the table with scale_min and scale_max.
#}
{% macro scale_bound(mean, half_width, sign, scale) -%}
    {{ clip(mean ~ ' + ' ~ sign ~ ' * ' ~ half_width, scale ~ '.scale_min', scale ~ '.scale_max') }}
{%- endmacro %}

{#
As many independent observations as would vary as much as clusters do, for a share over them. Clusters
that are all alike count as one observation each, so that a share of 0 or 1 keeps an interval.

Args:
    half_width: of the clustered t interval, 0 or null where the clusters are all alike.
    quantile: of Student's t, that the half width was made with; of the clusters unless given.
#}
{% macro independent_count(share, half_width, n_clusters, quantile=none) -%}
    {%- set of_clusters = "student_t_quantile(0.975::double, (" ~ n_clusters ~ " - 1)::double)" -%}
    coalesce(
        nullif({{ share }} * (1 - {{ share }}), 0)
        * ({{ quantile or of_clusters }} / nullif({{ half_width }}, 0)) ^ 2,
        {{ n_clusters }}
    )
{%- endmacro %}

{#
One end of Wilson's 95 % interval of a share over clusters, from `independent_count`. Null under
var('min_units_for_interval') clusters.

Args:
    half_width: of the clustered t interval, 0 or null where the clusters are all alike.
    sign: -1 for the low end, 1 for the high one.
#}
{% macro clustered_share_bound(share, half_width, n_clusters, sign) -%}
    case
        when {{ n_clusters }} >= {{ var('min_units_for_interval') }}
            then {{ wilson_bound(share, independent_count(share, half_width, n_clusters), sign) }}
    end
{%- endmacro %}

{# Percentile interval of a bootstrap, null with too few resampled units. #}
{% macro percentile_bound(value, probability, n_units) -%}
    case
        when max({{ n_units }}) >= {{ var('min_units_for_interval') }}
            then quantile_cont({{ value }}, {{ probability }})
    end
{%- endmacro %}

{#
A half width that says something; null where nothing varied, since an interval without width would
claim to know what a handful of equal cases cannot.
#}
{% macro spread(half_width) -%}
    case when {{ half_width }} > 1e-9 then {{ half_width }} end
{%- endmacro %}

{# A value held within bounds; unlike greatest and least alone, unknown stays unknown. #}
{% macro clip(value, low, high) -%}
    case when ({{ value }}) is not null then greatest({{ low }}, least({{ high }}, {{ value }})) end
{%- endmacro %}

{# Why an interval is null although there is an estimate: a branch of a case. #}
{% macro when_too_few(n, units) -%}
    when {{ n }} < {{ var('min_units_for_interval') }}
        then 'fewer than {{ var("min_units_for_interval") }} {{ units }}'
{%- endmacro %}

{#
Both ends of an interval as columns `<name>_low` and `<name>_high`, one macro for each kind of interval
above. The name is that of the estimate's column unless another is given.
#}
{% macro ends(value, half_width, name=none) -%}
    {%- set name = name or value.split('.')[-1] -%}
    {{ value }} - {{ half_width }} as {{ name }}_low,
    {{ value }} + {{ half_width }} as {{ name }}_high
{%- endmacro %}

{% macro clipped_ends(value, half_width, low, high, name=none) -%}
    {%- set name = name or value.split('.')[-1] -%}
    {{ clip(value ~ ' - ' ~ half_width, low, high) }} as {{ name }}_low,
    {{ clip(value ~ ' + ' ~ half_width, low, high) }} as {{ name }}_high
{%- endmacro %}

{% macro scale_ends(mean, half_width, scale, name=none) -%}
    {{ clipped_ends(mean, half_width, scale ~ '.scale_min', scale ~ '.scale_max', name) }}
{%- endmacro %}

{% macro share_ends(share, half_width, n_clusters, name=none) -%}
    {%- set name = name or share.split('.')[-1] -%}
    {{ clustered_share_bound(share, half_width, n_clusters, -1) }} as {{ name }}_low,
    {{ clustered_share_bound(share, half_width, n_clusters, 1) }} as {{ name }}_high
{%- endmacro %}

{% macro wilson_ends(share, n, name=none) -%}
    {{ wilson_bound(share, n, -1) }} as {{ name or share }}_low,
    {{ wilson_bound(share, n, 1) }} as {{ name or share }}_high
{%- endmacro %}

{% macro percentile_ends(value, n_units, name=none) -%}
    {{ percentile_bound(value, 0.025, n_units) }} as {{ name or value }}_low,
    {{ percentile_bound(value, 0.975, n_units) }} as {{ name or value }}_high
{%- endmacro %}

{#
What 10 % more words add to a share, from what a doubling does; the same for an end of its interval. No
share changes by more than 1: ends are cut there, and an estimate beyond is withheld with its ends.

Args:
    slope: name of the column, per doubling; end: '_low' or '_high' for that end of its interval.
#}
{% macro per_ten_pct_words(slope, end='') -%}
    case
        when abs({{ slope }} * log2(1.1)) <= 1
            then {{ clip(slope ~ end ~ ' * log2(1.1)', '-1.0', '1.0') }}
    end
{%- endmacro %}

{# Why `per_ten_pct_words` withholds a slope; null where it does not. #}
{% macro why_beyond_a_share(slope) -%}
    case when abs({{ slope }} * log2(1.1)) > 1 then {{ why_beyond('share') }} end
{%- endmacro %}

{# Why a change of a share or a probability is withheld. #}
{% macro why_beyond(what) -%}
    'for 10 % more words the {{ what }} would change by more than 1: lengths differ too little to say'
{%- endmacro %}
