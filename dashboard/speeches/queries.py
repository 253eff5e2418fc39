"""The questions the tabs on speeches put to the published marts."""

from dashboard.core.data import asking, query

_OF_PROMPTS = """dataset_id = $dataset
    and dimension = $dimension
    and list_contains($templates, template)"""
_OF_JUDGES = f"""{_OF_PROMPTS}
    and list_contains($judges, judge_id)"""

# What the best ensemble of each size and pooling is worth; the best of all first.
searches = asking(
    "rpt_ensemble_search",
    "template, search_size = 'any' desc, search_size, search_pooling",
    _OF_PROMPTS,
)

# The best subsets on the speeches they were chosen on.
subsets = asking(
    "rpt_ensemble_subset",
    "template, tau_c_on_scale desc, search_size, search_pooling, subset_rank",
    f"""{_OF_PROMPTS}
    and search_size <> 'any'""",
)

# Shift, spread and sharpness over all sources, the harshest judge first.
severity = asking(
    "rpt_severity",
    "shift nulls last, judge_id, template",
    f"""{_OF_JUDGES}
    and scope = 'overall'""",
)

# Shift and spread per source, the source people score highest first.
severity_by_source = asking(
    "rpt_severity",
    "place desc nulls last, source, judge_id, template",
    f"""{_OF_JUDGES}
    and scope = 'source'""",
    "*, max(human_mean) over (partition by source) as place",
)

# Whether better judges are harsher, spread more and separate sources more.
trends = asking(
    "rpt_severity_trend",
    "template, list_position(['shift', 'sharpness', 'spread_ratio'], measure)",
    _OF_PROMPTS,
)

# Errors and agreement before and after mapping scores to people's, the largest gain first.
calibration = asking(
    "rpt_score_calibration",
    """largest nulls last, judge_id, template,
    list_position(['none', 'linear', 'isotonic'], method)""",
    _OF_JUDGES,
    "*, min(mae_change) over (partition by judge_id, template) as largest",
)


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


_SCORED = "dataset_id = $dataset and dimension = $dimension"

# How many people each chosen judge is worth, the most first, with tau-c and bounds beside.
worth = query("""
with chosen as (
    select
        *,
        case worth_status
            when 'less_than_one' then 'less than one'
            when 'more_than_any' then 'more than any number'
            else printf('%.3g', worth)
        end as in_words
    from rpt_judge_worth
    where dataset_id = $dataset
        and dimension = $dimension
        and list_contains($judges, judge_id)
        and list_contains($templates, template)
),

beside as (
    select
        judge_id,
        template,
        any_value(correlation) filter (measure = 'tau_c' and failure_rule = 'excluded') as tau_c,
        any_value(correlation_low) filter (measure = 'tau_c' and failure_rule = 'excluded')
            as tau_c_low,
        any_value(correlation_high) filter (measure = 'tau_c' and failure_rule = 'excluded')
            as tau_c_high,
        any_value(in_words) filter (measure = 'pearson' and failure_rule = 'nearest')
            as worth_nearest,
        any_value(in_words) filter (measure = 'pearson' and failure_rule = 'farthest')
            as worth_farthest
    from chosen
    group by judge_id, template
)

select chosen.* exclude (in_words), beside.* exclude (judge_id, template)
from chosen
inner join beside using (judge_id, template)
where measure = 'pearson' and failure_rule = 'excluded'
order by
    list_position(
        ['more_than_any', 'interpolated', 'less_than_one', 'undefined'],
        replace(worth_status, 'extrapolated', 'interpolated')
    ),
    worth desc nulls last, correlation desc nulls last, judge_id, template""")

# How the mean of k people goes together with eight others.
curve = asking("rpt_rater_count", "n_raters", f"{_SCORED} and measure = 'pearson'")

# Alpha, ICC and mean kappa of the crowd.
agreement = asking(
    "rpt_crowd_agreement",
    """list_position(
    ['alpha_interval', 'alpha_ordinal', 'icc_1', 'icc_k', 'mean_kappa'], measure
)""",
    """dataset_id = $dataset
    and dimension = $dimension
    and min_shared_items in (1, $min_shared)""",
)

# How each person rates, the harshest first.
raters = asking("rpt_rater_quality", "harshness desc nulls last, annotator_id", _SCORED)
