"""Every measure as a table, and what can be had without reading a word."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.core.data import Answer
from dashboard.core.labels import estimate, interval, is_missing
from dashboard.core.widgets import ANY_SIZE, table
from dashboard.parliamentary.labels import BASELINES, measure_name, task_name
from dashboard.speeches.findings import records


def measures(answer: Answer) -> None:
    """Show every measure of every judge, beside chance."""
    rows = records(answer.frame)
    st.markdown("**Every measure**")
    table(
        pd.DataFrame(
            {
                "judge": [row["judge_id"] for row in rows],
                "task": [task_name(row["about"]) for row in rows],
                "measure": [measure_name(row["measure"]) for row in rows],
                "value": [row["value"] for row in rows],
                "95 % interval": [
                    interval(row["value_low"], row["value_high"]) or None for row in rows
                ],
                "guessing": [row["by_chance"] for row in rows],
                "minus guessing": [
                    None
                    if is_missing(row["minus_chance"])
                    else estimate(
                        row["minus_chance"], row["minus_chance_low"], row["minus_chance_high"]
                    )
                    for row in rows
                ],
                "better": [row["better"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "requests": [row["n_answers"] for row in rows],
                "with failures": [row["failed_count"] for row in rows],
                "failures at best and worst": [
                    interval(row["value_if_best"], row["value_if_worst"]) or None for row in rows
                ],
                "why unknown": [row["null_reason"] for row in rows],
            }
        ),
        formats=dict.fromkeys(("value", "guessing"), ANY_SIZE),
        raw=answer,
        name="parliamentary_measures",
        height=380 if len(rows) > 9 else None,
    )


def guessing(answer: Answer) -> None:
    """Show what can be had without reading a word."""
    rows = records(answer.frame)
    if not rows:
        st.markdown("No debate of this data set has an official result.")
        return
    table(
        pd.DataFrame(
            {
                "task": [task_name(row["task"]) for row in rows],
                "on the debates read by": [
                    "all with a result" if is_missing(row["judges"]) else row["judges"]
                    for row in rows
                ],
                "guess": [BASELINES.get(row["baseline"], row["baseline"]) for row in rows],
                "measure": [measure_name(row["measure"]) for row in rows],
                "value": [row["value"] for row in rows],
                "95 % interval": [
                    interval(row["value_low"], row["value_high"]) or None for row in rows
                ],
                "better": [row["better"] for row in rows],
                "debates": [row["n_units"] for row in rows],
                "why unknown": [row["null_reason"] for row in rows],
            }
        ),
        formats={"value": ANY_SIZE},
        raw=answer,
        name="parliamentary_guessing",
        height=320 if len(rows) > 8 else None,
    )
