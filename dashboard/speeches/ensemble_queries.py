"""The questions the tabs on ensembles, severity and calibration put to the published marts."""

from __future__ import annotations

from dashboard.core.data import asking

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
