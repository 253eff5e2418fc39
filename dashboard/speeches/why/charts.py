"""Charts of key points: what is said of each source, and one estimate per row with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT, LABEL_WIDTH, SOURCE_LABEL_WIDTH, chart_heading, labelled
from dashboard.core.colours import GREY, Look

# For in blues, against in vermilions, from Okabe and Ito's two: they differ in hue and in darkness
# for everybody. The first is said the most.
PRO_COLOURS = ("#00456F", "#0072B2", "#56A5D8", "#B5D8EF")
CON_COLOURS = ("#7A3500", "#D55E00", "#EE9A5B", "#F8D3B4")
_BAR_HEIGHT, _ROW_HEIGHT, _LEAST_LABELLED = 44, 34, 5


def parts(
    rows: pd.DataFrame, colours: Mapping[str, str], sources: Sequence[str], *, title: str, note: str
) -> alt.LayerChart:
    """Draw what is said of each source as parts of a whole.

    Args:
        rows: Columns `source`, `part`, `place` (order along the bar), `mark` (short label), `share`
            (percent), `middle` (of the part, percent), `ink` and `hover`.
        colours: Colour by part, in the order of the legend.
        sources: Sources from the top.
        title: What to conclude.
        note: A second line under the title.
    """
    along = alt.Scale(domain=[0, 100], nice=False)
    name = "share of the sentences about this source (%)"
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
    return alt.layer(
        base.mark_bar(stroke="white", strokeWidth=0.7, height=28).encode(
            x=alt.X("share:Q", stack="zero", title=name, scale=along),
            order=alt.Order("place:Q"),
            color=alt.Color("part:N", legend=legend, sort=list(colours)).scale(
                domain=list(colours), range=list(colours.values())
            ),
            tooltip=[alt.Tooltip("hover:N", title="share")],
        ),
        base.transform_filter(f"datum.share >= {_LEAST_LABELLED}")
        .mark_text(fontSize=12)
        .encode(
            x=alt.X("middle:Q", title=name, scale=along),
            text="mark:N",
            color=alt.Color("ink:N", scale=None, legend=None),
        ),
    ).properties(
        title=chart_heading(title, note), height=_BAR_HEIGHT * max(1, len(sources)), autosize=FIT
    )


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

    Args:
        rows: Columns `label` (a line break starts a second line), `value`, `low`, `high`, `colour`,
            `shape` and `hover`. In order.
        axis: What the value is, with unit and direction.
        domain: Ends of the axis.
        zero: Where a dashed line stands.
        title: What to conclude.
        note: A second line under the title.
    """
    along = alt.Scale(domain=list(domain), nice=False)
    row = labelled(list(rows["label"]))
    colour = alt.Color("colour:N", scale=None, legend=None)
    base = alt.Chart(rows).encode(y=row)
    layers: list[alt.Chart] = [
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", title=axis, scale=along), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=100, opacity=1).encode(
            x=alt.X("value:Q", title=axis, scale=along).axis(tickCount=6),
            color=colour,
            shape=alt.Shape("shape:N", scale=None, legend=None),
            tooltip=[alt.Tooltip("hover:N", title="value")],
        ),
    ]
    if zero is not None:
        line = alt.Chart(pd.DataFrame({"value": [zero]})).mark_rule(
            color=GREY, strokeDash=[4, 4], strokeWidth=1.5
        )
        layers.insert(0, line.encode(x=alt.X("value:Q", title=axis, scale=along)))
    drawn = alt.layer(*layers).properties(height=_ROW_HEIGHT * len(rows), autosize=FIT)
    return drawn.properties(title=chart_heading(title, note)) if title else drawn


def judges(
    rows: pd.DataFrame, looks: Mapping[str, Look], *, title: str, note: str
) -> alt.LayerChart:
    """Draw how often each judge says each key point.

    Args:
        rows: Columns `label`, `judge_id`, `value`, `low`, `high` (percent) and `hover`. In order.
        looks: How each judge is drawn.
        title: What to conclude.
        note: A second line under the title.
    """
    shown = sorted(set(rows["judge_id"]))
    order = list(dict.fromkeys(rows["label"]))
    axis, along = "share of justifications that say it (%)", alt.Scale(domain=[0, 100], nice=False)
    legend = alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH, columns=3)
    colour = alt.Color("judge_id:N", legend=legend).scale(
        domain=shown, range=[looks[one].colour for one in shown]
    )
    shape = alt.Shape("judge_id:N", legend=legend).scale(
        domain=shown, range=[looks[one].shape for one in shown]
    )
    base = alt.Chart(rows).encode(
        y=labelled(order),
        yOffset=alt.YOffset("judge_id:N", sort=shown),
    )
    return alt.layer(
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title=axis, scale=along), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=alt.X("value:Q", title=axis, scale=along),
            color=colour,
            shape=shape,
            tooltip=["judge_id:N", alt.Tooltip("hover:N", title="share")],
        ),
    ).properties(
        title=chart_heading(title, note),
        height=max(30, 15 * len(shown)) * len(order),
        autosize=FIT,
    )
