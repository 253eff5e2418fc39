"""Charts of verdicts: effects with intervals, two shares per row, tables of who won.

Frames come with the columns named in each function; text in them is drawn as plain text. Shares
come as percent and differences as percentage points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    LABEL_WIDTH,
    POINT_SIZE,
    by_judge,
    chart_heading,
    dashed,
    labelled,
    legend_above,
    shaded_table,
)
from dashboard.core.colours import GREY, Look

LANE, LEAST_ROW, LINE = 18, 44, 15
FIRST_COLOUR, SECOND_COLOUR = "#0072B2", "#D55E00"


def effects(
    rows: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    axis: str,
    title: str,
    note: str,
    tooltips: Sequence[str],
) -> alt.LayerChart:
    """Draw one row per contrast and one lane per judge; filled points are significant.

    Args:
        rows: Columns `label` (a line break starts another line), `judge_id`, `value`, `low`,
            `high`, `mark` ('significant' or 'not significant') and the tooltip columns. In order.
        looks: How each judge is drawn.
        axis: What the value is, with unit and direction.
        title: What to conclude.
        note: A second line under the title.
        tooltips: Columns to repeat on hover.
    """
    labels = list(dict.fromkeys(rows["label"]))
    judges = list(dict.fromkeys(rows["judge_id"]))
    lines = max((str(one).count("\n") + 1 for one in labels), default=1)
    lanes = {
        "y": labelled(labels),
        "yOffset": alt.YOffset("judge_id:N", sort=judges),
    }
    colour, shape = by_judge(looks, judges, legend_above(judges))
    along = alt.Scale(zero=True, nice=True)
    base = alt.Chart(rows).encode(**lanes)
    value = alt.X("value:Q", title=axis, scale=along).axis(tickCount=8)
    return alt.layer(
        dashed(0.0, x=value),
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", title=axis, scale=along), x2="high:Q", color=colour
        ),
        base.mark_point(size=POINT_SIZE, strokeWidth=2, opacity=1).encode(
            x=value,
            color=colour,
            shape=shape,
            fill=alt.condition(
                alt.datum.mark == "significant", colour, alt.value("transparent"), legend=None
            ),
            tooltip=[alt.Tooltip(f"{name}:N") for name in tooltips],
        ),
    ).properties(
        title=chart_heading(title, note),
        height=max(LEAST_ROW, LANE * len(judges) + 8, LINE * lines + 8) * len(labels),
        autosize=FIT,
    )


def two_shares(
    rows: pd.DataFrame, names: tuple[str, str], *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw two shares per row, joined: a circle for the first, a square for the second.

    Args:
        rows: Columns `label` (a line break starts a second line), `first`, `second` (percent) and
            `hover`. In order.
        names: What the two shares are.
        axis: What the shares are of.
        title: What to conclude.
        note: A second line under the title.
    """
    order = list(dict.fromkeys(rows["label"]))
    across = labelled(order)
    along = alt.Scale(domain=[0, 100], nice=False)
    long = pd.DataFrame(
        [
            {"label": row["label"], "which": name, "value": row[part], "hover": row["hover"]}
            for row in rows.to_dict("records")
            for part, name in zip(("first", "second"), names, strict=True)
        ]
    )
    legend = alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH)
    which = list(names)
    return alt.layer(
        dashed(50.0, x=alt.X("value:Q", title=axis, scale=along)),
        alt.Chart(rows)
        .mark_rule(strokeWidth=2, color=GREY)
        .encode(y=across, x=alt.X("first:Q", title=axis, scale=along), x2="second:Q"),
        alt.Chart(long)
        .mark_point(filled=True, size=POINT_SIZE, opacity=1)
        .encode(
            y=across,
            x=alt.X("value:Q", title=axis, scale=along),
            color=alt.Color("which:N", legend=legend, sort=which).scale(
                domain=which, range=[FIRST_COLOUR, SECOND_COLOUR]
            ),
            shape=alt.Shape("which:N", legend=legend, sort=which).scale(
                domain=which, range=["circle", "square"]
            ),
            tooltip=[alt.Tooltip("hover:N", title="share")],
        ),
    ).properties(title=chart_heading(title, note), height=LEAST_ROW * len(order), autosize=FIT)


def estimates(
    rows: pd.DataFrame, *, axis: str, title: str, note: str, top: float | None = None
) -> alt.LayerChart:
    """Draw one value with interval per row and kind, such as a judge's slope beside people's.

    Args:
        rows: Columns `label`, `which`, `value`, `low`, `high` and `hover`. In order.
        axis: What the value is, with unit and direction.
        title: What to conclude.
        note: A second line under the title.
        top: Upper end of the axis, which then begins at 0; else the axis fits the values.
    """
    order = list(dict.fromkeys(rows["label"]))
    which = list(dict.fromkeys(rows["which"]))
    along = alt.Scale(zero=True, nice=True) if top is None else alt.Scale(domain=[0, top])
    shown = alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH) if len(which) > 1 else None
    colours, shapes = [FIRST_COLOUR, GREY], ["circle", "square"]
    colour = alt.Color("which:N", legend=shown, sort=which).scale(
        domain=which, range=colours[: len(which)]
    )
    base = alt.Chart(rows).encode(
        y=labelled(order),
        yOffset=alt.YOffset("which:N", sort=which),
    )
    return alt.layer(
        dashed(0.0 if top is None else top / 2, x=alt.X("value:Q", title=axis, scale=along)),
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", title=axis, scale=along), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1).encode(
            x=alt.X("value:Q", title=axis, scale=along),
            color=colour,
            shape=alt.Shape("which:N", legend=shown, sort=which).scale(
                domain=which, range=shapes[: len(which)]
            ),
            tooltip=[alt.Tooltip("hover:N", title="value")],
        ),
    ).properties(title=chart_heading(title, note), height=LEAST_ROW * len(order), autosize=FIT)


def confusion(cells: pd.DataFrame, *, title: str) -> alt.LayerChart:
    """Draw what a judge answered on debates that each side won: shares of each row.

    Args:
        cells: Columns `won`, `answered`, `share` (percent), `text` and `hover`. In order.
        title: Which way of asking.
    """
    rows, columns = list(dict.fromkeys(cells["won"])), list(dict.fromkeys(cells["answered"]))
    base = alt.Chart(cells).encode(
        x=alt.X("answered:N", sort=columns, title="the judge says").axis(
            labelAngle=0, labelOverlap=False, orient="top", domain=False, ticks=False
        ),
        y=alt.Y("won:N", sort=rows, title="people say").axis(domain=False, ticks=False),
    )
    return shaded_table(base, title, height=130)
