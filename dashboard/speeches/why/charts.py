"""Charts of key points: what is said of each source, and one estimate per row with its interval.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction) and `tooltips` (columns to repeat on hover).
"""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    PERCENT,
    SOURCE_LABEL_WIDTH,
    Measure,
    dashed,
    points,
    spread,
    titled,
)
from dashboard.core.charts import dots as row_dots
from dashboard.core.series import JUDGE, height_of_row, under_headings

# For in blues, against in vermilions, from Okabe and Ito's two: they differ in hue and in darkness
# for everybody. The first is said the most.
PRO_COLOURS = ("#00456F", "#0072B2", "#56A5D8", "#B5D8EF")
CON_COLOURS = ("#7A3500", "#D55E00", "#EE9A5B", "#F8D3B4")
_ROW_HEIGHT, _LEAST_LABELLED = 34, 5


def parts(
    rows: pd.DataFrame, colours: Mapping[str, str], sources: Sequence[str], *, title: str, note: str
) -> alt.LayerChart:
    """Draw what is said of each source as parts of a whole.

    `rows` has columns `source`, `part`, `place` (order along the bar), `mark` (short label),
    `share` (percent), `middle` (of the part, percent), `ink` and `hover`.
    `colours`: colour by part, in the order of the legend.
    `sources`: sources from the top.
    """
    share = Measure("share of the sentences about this source (%)", PERCENT)
    base = alt.Chart(rows).encode(
        y=alt.Y("source:N", sort=list(sources), title=None).axis(
            labelLimit=SOURCE_LABEL_WIDTH, labelOverlap=False
        )
    )
    legend = alt.Legend(
        title=None,
        orient="top",
        columns=2,
        labelLimit=330,
        symbolType="square",
        symbolStrokeWidth=0,
    )
    row = height_of_row(sources)
    layers = [
        base.mark_bar(stroke="white", strokeWidth=0.7, height=0.65 * row).encode(
            x=alt.X("share:Q", stack="zero", title=share.title, scale=PERCENT),
            order=alt.Order("place:Q"),
            color=alt.Color("part:N", legend=legend, sort=list(colours)).scale(
                domain=list(colours), range=list(colours.values())
            ),
            tooltip=[alt.Tooltip("hover:N", title="share")],
        ),
        base.transform_filter(f"datum.share >= {_LEAST_LABELLED}")
        .mark_text(fontSize=12)
        .encode(
            x=share.of("middle"),
            text=alt.Text("mark:N"),
            color=alt.Color("ink:N", scale=None, legend=None),
        ),
    ]
    return titled(layers, title, note, row * max(1, len(sources)))


def dots(
    rows: pd.DataFrame,
    *,
    axis: str,
    domain: tuple[float, float],
    zero: float | None = None,
    title: str = "",
    note: str = "",
) -> alt.LayerChart:
    """Draw one estimate with its interval per row.

    `rows` has columns `label` (a line break starts a second line), `value`, `low`, `high`,
    `colour`, `shape` and `hover`. In order.
    `domain`: ends of the axis.
    `zero`: where a dashed line stands.
    `title`: what to conclude; empty in one panel of several.
    """
    said = Measure(axis, alt.Scale(domain=list(domain), nice=False))
    told = (
        alt.Color("colour:N", scale=None, legend=None),
        alt.Shape("shape:N", scale=None, legend=None),
    )
    drawn = row_dots(
        rows,
        said,
        told,
        title=title,
        note=note,
        behind=[] if zero is None else [dashed(zero, x=said.at())],
        row_height=_ROW_HEIGHT,
        size=100,
    )
    return drawn if title else drawn.properties(title=alt.Undefined)


def judges(rows: pd.DataFrame, *, title: str, note: str) -> alt.LayerChart:
    """Draw how often each judge says each key point, the judges under each point.

    `rows` has columns `label`, `judge_id`, `value`, `low`, `high` (percent) and `hover`. In order.
    """
    share = Measure("share of justifications that say it (%)", PERCENT)
    drawn = under_headings(rows, "label", "judge_id")
    base = alt.Chart(drawn.rows).encode(y=drawn.axis)
    layers = [
        *drawn.headings,
        spread(base, share, JUDGE.colour, width=2),
        points(base, share, JUDGE, "share", size=60, beside="judge_id"),
    ]
    return titled(layers, title, note, drawn.height)
