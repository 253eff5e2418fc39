"""Every estimate is a cell of its wide mart: the long table computes nothing of its own."""

import json
import re
from collections import Counter
from typing import Any

from tests.dbt_project.compiled_models import rows_of
from warehouse.audit import DBT_PROJECT
from warehouse.home import Home
from warehouse.reader import connect, current_version

SAMPLE = 400
# Columns that hold measures which another column of the row tells apart.
SHARED = {"value", "estimate", "minus_chance", "points"}
RENAMED = {
    "rank_low": "best_place",
    "rank_high": "worst_place",
    "sensitivity": "judge_sensitivity",
    "specificity": "judge_specificity",
    "coverage": "routing_coverage",
    "gain": "routing_gain",
    "combined_error": "routing_error_alone",
    "baseline_error": "routing_baseline_error",
    "baseline_gain": "routing_baseline_gain",
    "achieved_error": "routing_error",
    "sent_share": "routing_sent_share",
    "changed_share": "drift_changed_share",
    "error_drift": "drift_of_error",
    "total_change": "score_change_total",
    "judge_change": "score_change_judge",
    "system_change": "score_change_system",
}
Row = dict[str, Any]


def test_a_sample_of_estimates_are_the_cells_of_their_marts(built_demo: Home) -> None:
    with connect(current_version(built_demo)) as connection:
        estimates = rows_of(
            connection,
            "select * from (select * from fct_estimate order by estimate_id) "
            f"using sample reservoir({SAMPLE} rows) repeatable (11)",
        )
        marts = {
            mart: rows_of(connection, f"select * from {mart}")
            for mart in {each["mart"] for each in estimates}
        }
    assert len(estimates) == SAMPLE
    for estimate in estimates:
        rows = [row for row in marts[estimate["mart"]] if _is_of(estimate, row)]
        assert any(_is_cell(estimate, row) for row in rows), estimate


def test_every_subject_has_estimates_and_no_id_twice(built_demo: Home) -> None:
    with connect(current_version(built_demo)) as connection:
        found = rows_of(
            connection,
            "select subject, count(*) as n, count(distinct estimate_id) as ids "
            "from fct_estimate group by all order by subject",
        )
    subjects = [
        "core",
        "debates",
        "decision",
        "oversight",
        "parliamentary",
        "questions",
        "speeches",
    ]
    assert [row["subject"] for row in found] == subjects
    assert all(row["n"] == row["ids"] for row in found)


def test_no_mart_is_melted_twice() -> None:
    melted = [
        mart
        for path in (DBT_PROJECT / "models").glob("*/int_*_estimates.sql")
        for mart in re.findall(r"estimates_of\(\s*'(\w+)'", path.read_text(encoding="utf-8"))
    ]
    # Its effect of being named first is of several settings, and melted by what these share.
    assert Counter(melted) - Counter(set(melted)) == Counter({"rpt_bp_bias": 1})


def _is_of(estimate: Row, row: Row) -> bool:
    keys = {name: estimate[name] for name in ("dataset_id", "experiment", "judge_id")}
    keys |= json.loads(estimate["setting"]) | json.loads(estimate["population"])
    return all(row[name] == value for name, value in keys.items() if name in row)


def _is_cell(estimate: Row, row: Row) -> bool:
    topic, measure = estimate["mart"].removeprefix("rpt_"), estimate["measure"]
    convention = json.loads(estimate["setting"]).get("convention")
    for column in row:
        plain = column.removesuffix("_released") if convention == "released" else column
        names = {plain, f"{topic}_{plain}", RENAMED.get(column)} | (
            {topic} if topic.endswith(f"_{plain}") else set()
        )
        if measure in names or column in SHARED or str(row.get("metric")) in measure:
            ends = {estimate["low"], estimate["high"]}
            if row[column] == estimate["value"] and ends <= set(row.values()) | {None}:
                return True
    return False
