"""The chart of how many people a judge is worth."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT, by_judge, chart_heading
from dashboard.core.colours import GREY, Look


def worth(
    curve: pd.DataFrame,
    judges: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw agreement by number of people, with every judge where it stands on that curve.

    Args:
        curve: Columns `k`, `value`, `low`, `high`, `is_extrapolated` and `hover`, in order.
        judges: Columns `judge_id`, `k`, `value`, `low`, `high` and `hover`; may be empty.
        looks: How each judge is drawn.
        title: What to conclude.
        note: A second line under the title.
    """
    last = float(curve["k"].max())
    across = alt.X(
        "k:Q",
        title="people whose mean score is taken (left of 1: less than one person)",
        scale=alt.Scale(domain=[0, last + 1], nice=False),
    ).axis(tickMinStep=1, format="d", grid=False)
    name = "Pearson's r with the mean of eight others (higher = better)"
    scale = alt.Scale(zero=True, nice=True)
    up = alt.Y("value:Q", title=name, scale=scale)
    measured = curve[~curve["is_extrapolated"]]
    # The dashed line starts where the measured one ends.
    beyond = curve[curve["k"] >= measured["k"].max()]
    layers = [
        alt.Chart(curve)
        .mark_area(color=GREY, opacity=0.18)
        .encode(x=across, y=alt.Y("low:Q", title=name, scale=scale), y2="high:Q"),
        alt.Chart(measured).mark_line(color=GREY, strokeWidth=2).encode(x=across, y=up),
        alt.Chart(beyond)
        .mark_line(color=GREY, strokeWidth=2, strokeDash=[4, 4])
        .encode(x=across, y=up),
        alt.Chart(measured)
        .mark_point(filled=True, color=GREY, size=50, opacity=1)
        .encode(x=across, y=up, tooltip=[alt.Tooltip("hover:N", title="people")]),
    ]
    if len(judges):
        shown = list(judges["judge_id"])
        colour, shape = by_judge(
            looks, shown, alt.Legend(title=None, orient="right", labelLimit=240)
        )
        base = alt.Chart(judges)
        layers += [
            base.mark_rule(strokeWidth=2).encode(
                x=across, y=alt.Y("low:Q", title=name, scale=scale), y2="high:Q", color=colour
            ),
            base.mark_point(filled=True, size=110, opacity=1).encode(
                x=across,
                y=up,
                color=colour,
                shape=shape,
                tooltip=[alt.Tooltip("hover:N", title="judge")],
            ),
        ]
    return alt.layer(*layers).properties(title=chart_heading(title, note), height=360, autosize=FIT)
