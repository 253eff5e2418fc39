"""Every measure as a table, and what can be had without reading a word."""

from __future__ import annotations

from dashboard.core.labels import interval, is_missing
from dashboard.core.panels import Panel
from dashboard.core.tables import band, estimate_of, formed
from dashboard.parliamentary.labels import BASELINES, measure_name, task_name

measures = Panel(
    "parliamentary_measures",
    {
        "judge": "judge_id",
        "task": lambda row: task_name(row["about"]),
        "measure": lambda row: measure_name(row["measure"]),
        "value": formed("value"),
        "95 % interval": band("value"),
        "guessing": formed("by_chance"),
        "minus guessing": estimate_of("minus_chance"),
        "better": "better",
        "debates": "n_units",
        "requests": "n_answers",
        "with failures": "failed_count",
        "failures at best and worst": lambda row: (
            interval(row["value_if_best"], row["value_if_worst"]) or None
        ),
        "why unknown": "null_reason",
    },
    tall=(9, 380),
)


guessing = Panel(
    "parliamentary_guessing",
    {
        "task": lambda row: task_name(row["task"]),
        "on the debates read by": lambda row: (
            "all with a result" if is_missing(row["judges"]) else row["judges"]
        ),
        "guess": lambda row: BASELINES.get(row["baseline"], row["baseline"]),
        "measure": lambda row: measure_name(row["measure"]),
        "value": formed("value"),
        "95 % interval": band("value"),
        "better": "better",
        "debates": "n_units",
        "why unknown": "null_reason",
    },
    empty="No debate of this data set has an official result.",
)
