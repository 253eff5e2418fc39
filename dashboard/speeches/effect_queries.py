"""The questions the tabs on reasons and on size put to the published marts."""

from __future__ import annotations

from dashboard.core.data import query

# What reasons before the score change for each chosen judge, a row per measure.
justification_effects = query("""
select
    judge_id, template_plain, template_justified, measure, min_shared_items, plain_value,
    justified_value, difference, difference_low, difference_high, difference_failures_low,
    difference_failures_high, ratio, ratio_low, ratio_high, n_items, n_units, unit,
    n_answers_plain, n_answers_justified, comparison_count, undefined_count, reason
from rpt_justification_effect
where dataset_id = $dataset
    and dimension = $dimension
    and list_contains($judges, judge_id)
    and (
        list_contains($templates, template_plain)
        or list_contains($templates, template_justified)
    )
    and coalesce(min_shared_items, $min_shared) = $min_shared
order by
    list_position(
        ['tau_c', 'kappa', 'score', 'unparsed_share', 'tokens_out', 'cost_usd'], measure
    ),
    difference desc nulls last, judge_id, template_plain""")

# Agreement against size with the chosen prompts: families by their sizes, then all pooled.
size_trends = query("""
select
    template, measure, scope, family, n_judges, undefined_count, n_sizes, n_families,
    size_smallest, size_largest, slope, slope_low, slope_high, line_smallest, line_largest,
    n_units, unit, slope_reason, turning_size, turning_size_low, turning_size_high, is_7b_inside,
    slope_before, slope_after, fitted_smallest, fitted_turning, fitted_largest, gain, p,
    p_permuted, p_adjusted, turning_reason
from rpt_size_trend
where dataset_id = $dataset
    and dimension = $dimension
    and list_contains($templates, template)
    and coalesce(min_shared_items, $min_shared) = $min_shared
order by template, measure desc, scope, n_sizes desc, n_judges desc, family""")

# Agreement of every judge beside its family and size, where they are given.
sized_judges = query("""
with agreements as (
    select
        template, judge_id, 'tau_c' as measure, tau_c as agreement, tau_c_low as low,
        tau_c_high as high, undefined_reason
    from rpt_rank_agreement
    where dataset_id = $dataset and dimension = $dimension
    union all
    select
        template, judge_id, 'kappa', mean_kappa, kappa_low, kappa_high, undefined_reason
    from rpt_rater_agreement
    where dataset_id = $dataset and dimension = $dimension and min_shared_items = $min_shared
)

select agreements.*, dim_judge.family, dim_judge.size_b_params
from agreements
inner join dim_judge on agreements.judge_id = dim_judge.judge_id
where list_contains($templates, template)
    and dim_judge.judge_kind not in ('human', 'ensemble')
order by template, measure desc, family, size_b_params, agreements.judge_id""")
