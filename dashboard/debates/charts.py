"""Charts of verdicts: effects with intervals, two shares per row, tables of who won.

Frames come with the columns named in each function; text in them is drawn as plain text. Shares
come as percent and differences as percentage points.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction), `looks` (how each judge is drawn) and `tooltips` (columns to repeat on hover).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    KIND_COLOURS,
    LABEL_WIDTH,
    PERCENT,
    POINT_SIZE,
    Measure,
    by_judge,
    dashed,
    hovered,
    labelled,
    legend_above,
    points,
    shaded_table,
    spread,
    titled,
    told_apart,
)
from dashboard.core.colours import GREY, Look

LANE, LEAST_ROW, LINE = 18, 44, 15


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

    `rows` has columns `label` (a line break starts another line), `judge_id`, `value`, `low`,
    `high`, `mark` ('significant' or 'not significant') and the tooltip columns. In order.
    """
    labels = list(dict.fromkeys(rows["label"]))
    judges = list(dict.fromkeys(rows["judge_id"]))
    lines = max((str(one).count("\n") + 1 for one in labels), default=1)
    colour, shape = by_judge(looks, judges, legend_above(judges))
    effect = Measure(axis, ticks={"tickCount": 6})
    base = alt.Chart(rows).encode(
        y=labelled(labels), yOffset=alt.YOffset("judge_id:N", sort=judges)
    )
    filled = alt.condition(
        alt.datum.mark == "significant", colour, alt.value("transparent"), legend=None
    )
    layers = [
        dashed(0.0, x=effect.at()),
        spread(base, effect, colour),
        base.mark_point(size=POINT_SIZE, strokeWidth=2, opacity=1).encode(
            x=effect.at(), color=colour, shape=shape, fill=filled, tooltip=hovered(tooltips)
        ),
    ]
    row_height = max(LEAST_ROW, LANE * len(judges) + 8, LINE * lines + 8)
    return titled(layers, title, note, row_height * len(labels))


def two_shares(
    rows: pd.DataFrame, names: tuple[str, str], *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw two shares per row, joined: a circle for the first, a square for the second.

    `rows` has columns `label` (a line break starts a second line), `first`, `second` (percent) and
    `hover`. In order.
    `names`: what the two shares are.
    `axis`: what the shares are of.
    """
    across = labelled(list(dict.fromkeys(rows["label"])))
    share = Measure(axis, PERCENT)
    long = pd.DataFrame(
        [
            {"label": row["label"], "which": name, "value": row[part], "hover": row["hover"]}
            for row in rows.to_dict("records")
            for part, name in zip(("first", "second"), names, strict=True)
        ]
    )
    legend = alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH)
    colours = (KIND_COLOURS[0], "#D55E00")
    told = told_apart("which", names, colours, ("circle", "square"), legend)
    joined = alt.Chart(rows).mark_rule(strokeWidth=2, color=GREY)
    layers = [
        dashed(50.0, x=share.at()),
        joined.encode(y=across, x=share.of("first"), x2="second:Q"),
        points(alt.Chart(long).encode(y=across), share, told, "share"),
    ]
    return titled(layers, title, note, LEAST_ROW * rows["label"].nunique())


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
