"""The questions the tabs on ensembles, severity and calibration put to the published marts."""

from __future__ import annotations

from dashboard.core.data import Answer, View, ask
from warehouse.reader import Version

_OF_PROMPTS = """dataset_id = $dataset
    and dimension = $dimension
    and list_contains($templates, template)"""
_OF_JUDGES = f"""{_OF_PROMPTS}
    and list_contains($judges, judge_id)"""


def _ask(version: Version, sql: str, view: View, where: str) -> Answer:
    parameters = dict(view.parameters)
    if where is _OF_PROMPTS:
        del parameters["judges"]
    return ask(version, sql.replace("{where}", where), **parameters)


def searches(version: Version, view: View) -> Answer:
    """What the best ensemble of each size and pooling is worth; the best of all first."""
    sql = """
select *
from rpt_ensemble_search
where {where}
order by template, search_size = 'any' desc, search_size, search_pooling"""
    return _ask(version, sql, view, _OF_PROMPTS)


def subsets(version: Version, view: View) -> Answer:
    """The best subsets on the speeches they were chosen on."""
    sql = """
select *
from rpt_ensemble_subset
where {where}
    and search_size <> 'any'
order by template, tau_c_on_scale desc, search_size, search_pooling, subset_rank"""
    return _ask(version, sql, view, _OF_PROMPTS)


def severity(version: Version, view: View) -> Answer:
    """Shift, spread and sharpness over all sources, the harshest judge first."""
    sql = """
select *
from rpt_severity
where {where}
    and scope = 'overall'
order by shift nulls last, judge_id, template"""
    return _ask(version, sql, view, _OF_JUDGES)


def severity_by_source(version: Version, view: View) -> Answer:
    """Shift and spread per source, the source people score highest first."""
    sql = """
select *, max(human_mean) over (partition by source) as place
from rpt_severity
where {where}
    and scope = 'source'
order by place desc nulls last, source, judge_id, template"""
    return _ask(version, sql, view, _OF_JUDGES)


def trends(version: Version, view: View) -> Answer:
    """Whether better judges are harsher, spread more and separate sources more."""
    sql = """
select *
from rpt_severity_trend
where {where}
order by template, list_position(['shift', 'sharpness', 'spread_ratio'], measure)"""
    return _ask(version, sql, view, _OF_PROMPTS)


def calibration(version: Version, view: View) -> Answer:
    """Errors and agreement before and after mapping scores to people's, the largest gain first."""
    sql = """
select *, min(mae_change) over (partition by judge_id, template) as largest
from rpt_score_calibration
where {where}
order by largest nulls last, judge_id, template,
    list_position(['none', 'linear', 'isotonic'], method)"""
    return _ask(version, sql, view, _OF_JUDGES)
