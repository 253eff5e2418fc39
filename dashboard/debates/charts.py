"""Charts of verdicts: effects with intervals, two shares per row, tables of who won.

Frames come with the columns named in each function; text in them is drawn as plain text. Shares
come as percent and differences as percentage points.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction) and `tooltips` (columns to repeat on hover).
"""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    KIND_COLOURS,
    PERCENT,
    POINT_SIZE,
    Measure,
    dashed,
    hovered,
    points,
    shaded_table,
    spread,
    titled,
)
from dashboard.core.series import COLOURS, GREY, LABEL_WIDTH, labelled, told_apart, under_headings

LEAST_ROW = 44
EFFECTS_NOTE = (
    "Filled: significant after correction (adjusted p < 0.05). Hollow: not, or not tested. "
    "Lines: 95 % intervals."
)
EFFECT_TOOLTIPS = ("judge", "compared", "effect", "adjusted p", "n")
MARKS, MARK_COLOURS, MARK_SHAPES = (
    ("significant", "not significant"),
    (COLOURS[1], COLOURS[0]),
    ("diamond", "circle"),
)


def effects(
    rows: pd.DataFrame,
    *,
    axis: str,
    title: str,
    note: str = EFFECTS_NOTE,
    tooltips: Sequence[str] = EFFECT_TOOLTIPS,
) -> alt.LayerChart:
    """Draw one row per judge under each contrast; filled diamonds are significant.

    `rows` has columns `label` (a line break starts another line), `judge_id`, `value`, `low`,
    `high`, `mark` ('significant' or 'not significant') and the tooltip columns. In order.
    """
    drawn = under_headings(rows, "label", "judge_id")
    told = told_apart("mark", MARKS, MARK_COLOURS, MARK_SHAPES)
    effect = Measure(axis)
    base = alt.Chart(drawn.rows).encode(y=drawn.axis)
    filled = alt.condition(
        alt.datum.mark == MARKS[0], told[0], alt.value("transparent"), legend=None
    )
    layers = [
        *drawn.headings,
        dashed(0.0, x=effect.at()),
        spread(base, effect, told[0]),
        base.mark_point(size=POINT_SIZE, strokeWidth=2, opacity=1).encode(
            x=effect.at(), color=told[0], shape=told[1], fill=filled, tooltip=hovered(tooltips)
        ),
    ]
    return titled(layers, title, note, drawn.height)


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
        joined.encode(y=across, x=share.of("first"), x2=alt.X2("second:Q")),
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
