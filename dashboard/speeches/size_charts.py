"""The chart of agreement against the size of the judge."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT, LABEL_WIDTH, chart_heading
from dashboard.core.colours import GREY, Look


def trend(
    judges: pd.DataFrame,
    lines: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    axis: str,
    title: str,
    note: str,
    turning: Mapping[str, float] | None,
) -> alt.LayerChart:
    """Draw one family's judges by size, with the line through them and where it turns.

    Args:
        judges: Columns `judge_id`, `name` (beside the point), `size` in billions, `value`, `low`,
            `high` and `hover`.
        lines: Columns `line` (straight, or bent for the two that meet), `size` and `value`.
        looks: How each judge is drawn.
        axis: What the value is, with its direction.
        title: What to conclude.
        note: A second line under the title.
        turning: `size`, `low` and `high` of a turning point to draw.
    """
    sizes = sorted(set(judges["size"]))
    along = alt.Scale(type="log", base=2, domain=[sizes[0] / 1.5, sizes[-1] * 1.9], nice=False)
    name = "size, billions of parameters (log scale)"
    ticks = alt.Axis(values=sizes, format="~g", labelOverlap=True)
    across = alt.X("size:Q", title=name, scale=along, axis=ticks)
    scale = alt.Scale(zero=True, nice=True)
    up = alt.Y("value:Q", title=axis, scale=scale)
    shown = sorted(set(judges["judge_id"]))
    colour = alt.Color("judge_id:N", legend=None).scale(
        domain=shown, range=[looks[judge].colour for judge in shown]
    )
    shape = alt.Shape("judge_id:N", legend=None).scale(
        domain=shown, range=[looks[judge].shape for judge in shown]
    )
    layers: list[alt.Chart] = []
    if turning:
        place = alt.Chart(pd.DataFrame([dict(turning)]))
        layers += [
            place.mark_rect(color=GREY, opacity=0.18).encode(
                x=alt.X("low:Q", title=name, scale=along, axis=ticks), x2="high:Q"
            ),
            place.mark_rule(color=GREY, strokeWidth=1.5).encode(x=across),
        ]
    layers += [
        alt.Chart(lines[lines["line"] == line])
        .mark_line(color=GREY, strokeWidth=width, strokeDash=dash)
        .encode(x=across, y=up)
        for line, width, dash in (("straight", 2, [6, 4]), ("bent", 2.5, [1, 0]))
        if (lines["line"] == line).any()
    ]
    base = alt.Chart(judges).encode(x=across)
    layers += [
        base.mark_rule(strokeWidth=2.5).encode(
            y=alt.Y("low:Q", title=axis, scale=scale), y2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=110, opacity=1).encode(
            y=up,
            color=colour,
            shape=shape,
            tooltip=["judge_id:N", alt.Tooltip("hover:N", title="agreement")],
        ),
        base.mark_text(
            align="left", dx=9, dy=-9, fontSize=12, color=GREY, limit=LABEL_WIDTH
        ).encode(y=up, text="name:N"),
    ]
    return alt.layer(*layers).properties(title=chart_heading(title, note), height=320, autosize=FIT)
