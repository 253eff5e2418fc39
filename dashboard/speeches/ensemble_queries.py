"""The questions the tabs on ensembles, severity and calibration put to the published marts."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.core.data import Answer, View, ask, rows_of
from warehouse.reader import Version

_OF_PROMPTS = """dataset_id = $dataset
    and dimension = $dimension
    and list_contains($templates, template)"""
_OF_JUDGES = f"""{_OF_PROMPTS}
    and list_contains($judges, judge_id)"""


def _of(
    mart: str, order_by: str, where: str = _OF_PROMPTS, columns: str = "*"
) -> Callable[[Version, View], Answer]:
    """Return a function that asks for those rows of a mart that a view has, in this order."""
    sql = rows_of(mart, order_by, where, columns)
    return lambda version, view: ask(version, sql, **view.parameters)


# What the best ensemble of each size and pooling is worth; the best of all first.
searches = _of(
    "rpt_ensemble_search", "template, search_size = 'any' desc, search_size, search_pooling"
)


# The best subsets on the speeches they were chosen on.
subsets = _of(
    "rpt_ensemble_subset",
    "template, tau_c_on_scale desc, search_size, search_pooling, subset_rank",
    f"""{_OF_PROMPTS}
    and search_size <> 'any'""",
)


# Shift, spread and sharpness over all sources, the harshest judge first.
severity = _of(
    "rpt_severity",
    "shift nulls last, judge_id, template",
    f"""{_OF_JUDGES}
    and scope = 'overall'""",
)


# Shift and spread per source, the source people score highest first.
severity_by_source = _of(
    "rpt_severity",
    "place desc nulls last, source, judge_id, template",
    f"""{_OF_JUDGES}
    and scope = 'source'""",
    "*, max(human_mean) over (partition by source) as place",
)


# Whether better judges are harsher, spread more and separate sources more.
trends = _of(
    "rpt_severity_trend", "template, list_position(['shift', 'sharpness', 'spread_ratio'], measure)"
)


# Errors and agreement before and after mapping scores to people's, the largest gain first.
calibration = _of(
    "rpt_score_calibration",
    """largest nulls last, judge_id, template,
    list_position(['none', 'linear', 'isotonic'], method)""",
    _OF_JUDGES,
    "*, min(mae_change) over (partition by judge_id, template) as largest",
)
