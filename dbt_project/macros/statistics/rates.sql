{#
The true mean or share of a frame of items from few human labels and a judge's answers to all.

References:
    [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference.
    [2] Lee et al. (2025), How to correctly report LLM-as-a-judge evaluations, arXiv 2511.21140.
    [3] Lang and Reiczigel (2014), Confidence limits for prevalence of disease.
#}

{# Con's share of what a label of a debate says; null where there is none. #}
{% macro con_share_of(label) -%}
    case {{ label }} when 'con' then 1.0 when 'tie' then 0.5 when 'pro' then 0.0 end
{%- endmacro %}

{# Who debates in a log, whichever side each argues for; rates are about the one named first. #}
{% macro pair_of_debaters() -%}
    least(pro_debater, con_debater) || ' against ' || greatest(pro_debater, con_debater)
{%- endmacro %}

{#
Variance of a judge's answers in a stratum, labelled items and others together; exactly 0 where all are
equal.
#}
{% macro pooled_variance() -%}
    round((
        sum(answer_squares + other_squares)
        - sum(answer_sum + other_sum) ^ 2 / sum(n_labelled + n_others)
    ) / nullif(sum(n_labelled + n_others) - 1.0, 0), 14)
{%- endmacro %}

{#
The weight of the judge that makes the variance of the estimate smallest, within 0 and 1: over strata of
weight w with n labelled items and N others, sum(w^2 cov / n) / sum(w^2 var (1 / n + 1 / N)), where cov
is the covariance of labels and answers. With one stratum that is the paper's cov / ((1 + n / N) var)
[1]. The judge has no weight where it says the same of every item, or where none is left for it alone.

Args:
    over: the window over the strata of one judge.
#}
{% macro tuned_weight(over) -%}
    greatest(0.0, least(1.0, coalesce(sum(
        weight ^ 2 * (product_mean - label_mean * answer_mean) / n_labelled
    ) filter (n_others > 0) {{ over }}
    / nullif(sum(
        weight ^ 2 * answer_variance * (1.0 / n_labelled + 1.0 / n_others)
    ) filter (n_others > 0) {{ over }}, 0), 0.0)))
{%- endmacro %}

{#
A cluster's part in the linearised error of the mean of the labels, by stratum; its square, summed over
clusters and times `cluster_correction`, is the variance.
#}
{% macro label_influence() -%}
    strata.weight * (clusters.label_sum - clusters.n_labelled * strata.label_mean) / strata.n_labelled
{%- endmacro %}

{#
A cluster's part in the error of what the judge adds: its mean on other items less that on labelled
ones. A cluster that has both is in both with opposite signs.
#}
{% macro answer_influence() -%}
    coalesce(strata.weight * (
        (clusters.other_sum - clusters.n_others * strata.other_mean) / strata.n_others
        - (clusters.answer_sum - clusters.n_labelled * strata.answer_mean) / strata.n_labelled
    ), 0.0)
{%- endmacro %}

{#
What makes a sum of squares over clusters a variance: clusters with labels, and the strata whose means
are estimated from them.
#}
{% macro cluster_correction() -%}
    (n_clusters / nullif(n_clusters - n_strata, 0)::double)
{%- endmacro %}

{# Half width of a 95 % interval: t over clusters with labels. #}
{% macro rate_half_width(variance) -%}
    case
        when n_clusters >= {{ var('min_units_for_interval') }} and n_clusters > n_strata
            then {{ spread(
                "student_t_quantile(0.975::double, (n_clusters - n_strata)::double) * sqrt("
                ~ variance ~ ")"
            ) }}
    end
{%- endmacro %}

{#
A cluster's part in the error of the share that is corrected by sensitivity and specificity, by the
delta method over all three; and the sum of the squares of its items' parts.
#}
{% macro corrected_influence() -%}
    coalesce((
        strata.weight * (clusters.other_sum - clusters.n_others * strata.other_mean)
        / nullif(strata.n_others, 0)
        - strata.weight / strata.n_labelled * (
            (1 - totals.corrected) * (
                clusters.answer_sum - clusters.product_sum
                - totals.negative_answer * (clusters.n_labelled - clusters.label_sum)
            ) / nullif(totals.negative_weight, 0)
            + totals.corrected * (
                clusters.product_sum - totals.positive_answer * clusters.label_sum
            ) / nullif(totals.positive_weight, 0)
        )
    ) / nullif(totals.youden, 0), 0.0)
{%- endmacro %}

{% macro corrected_squares() -%}
    coalesce((
        (strata.weight / nullif(strata.n_others, 0)) ^ 2 * (
            clusters.other_squares - 2 * strata.other_mean * clusters.other_sum
            + clusters.n_others * strata.other_mean ^ 2
        )
        + (strata.weight / strata.n_labelled) ^ 2 * (
            ((1 - totals.corrected) / nullif(totals.negative_weight, 0)) ^ 2 * (
                clusters.answer_squares - clusters.product_squares
                - 2 * totals.negative_answer * (clusters.answer_sum - clusters.product_sum)
                + totals.negative_answer ^ 2 * (clusters.n_labelled - clusters.label_sum)
            )
            + (totals.corrected / nullif(totals.positive_weight, 0)) ^ 2 * (
                clusters.product_squares - 2 * totals.positive_answer * clusters.product_sum
                + totals.positive_answer ^ 2 * clusters.label_sum
            )
        )
    ) / nullif(totals.youden, 0) ^ 2, 0.0)
{%- endmacro %}

{# A share moved towards one half by `each` answers of each kind, as [2] does before its interval. #}
{% macro moved_share(share, n, each) -%}
    ({{ n }} * {{ share }} + {{ each }}) / ({{ n }} + 2 * {{ each }})
{%- endmacro %}

{#
One end of the 95 % interval of a share corrected by sensitivity and specificity [2, 3]: the estimate
and its parts from moved shares, moved again by the curvature, and the delta method's error.
`design_effect` is by how much clusters and strata widen its square.

Args:
    sign: -1 for the low end, 1 for the high one.
#}
{% macro corrected_bound(sign) -%}
    {{ clip(
        "moved_rate + 2 * 3.8414588206941254 * (moved_rate * sensitivity_variance"
        ~ " - (1 - moved_rate) * specificity_variance) + " ~ sign
        ~ " * quantile * sqrt(design_effect * (share_variance"
        ~ " + (1 - moved_rate) ^ 2 * specificity_variance"
        ~ " + moved_rate ^ 2 * sensitivity_variance)) / moved_youden",
        '0.0', '1.0'
    ) }}
{%- endmacro %}

{# The prediction-powered estimate, or one end of its interval, within the scale. #}
{% macro rate_end(sign=0) -%}
    {{ clip('rate' ~ (' + ' ~ sign ~ ' * rate_width' if sign else ''), 'scale_min', 'scale_max') }}
{%- endmacro %}

{# One end of the interval of a plain mean: Wilson's for a share, by t within the scale for a score. #}
{% macro mean_end(mean, width, n_clusters, sign) -%}
    case task
        when 'debates' then {{ clustered_share_bound(mean, width, n_clusters, sign) }}
        else {{ clip(mean ~ ' + ' ~ sign ~ ' * ' ~ width, 'scale_min', 'scale_max') }}
    end
{%- endmacro %}
