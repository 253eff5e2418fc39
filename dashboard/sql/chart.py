"""A chart of a reader's own result."""

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT
from dashboard.core.series import COLOURS

FORMS = ("points", "line", "bars")
DRAWN = 500
# How many rows with names are drawn, and how long a name may be in pixels.
_NAMED_DRAWN, _NAME_LIMIT = 60, 220


def numbers_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that can be drawn as a value."""
    return [name for name in frame.columns if frame[name].dtype.kind in "iuf"]


def along_of(frame: pd.DataFrame) -> str:
    """Return the column that tells the rows apart best: of words, or else of anything."""
    words = [name for name in frame.columns if name not in numbers_of(frame)]
    return str(max(words or frame.columns, key=lambda name: frame[name].astype(str).nunique()))


def result_chart(frame: pd.DataFrame, x: str, y: str, form: str) -> alt.LayerChart:
    """Return a result as points, a line or bars; with intervals where it has `Y_low` and `Y_high`.

    Args:
        x: The column along the chart.
        y: The column of the value.
    """
    # Names of a reader's own columns may hold what Vega reads as a path.
    data = pd.DataFrame({"x": frame[x], "y": frame[y]})
    stem = y.removeprefix("mean_")
    ends = next(
        (
            (f"{one}_low", f"{one}_high")
            for one in (y, stem)
            if {f"{one}_low", f"{one}_high"} <= set(frame.columns)
        ),
        None,
    )
    if ends:
        data["low"], data["high"] = frame[ends[0]], frame[ends[1]]
    is_number = data["x"].dtype.kind in "iuf"
    is_time = data["x"].dtype.kind == "M"
    if not (is_number or is_time):
        data["x"] = [str(one) for one in data["x"]]
        data = data.head(_NAMED_DRAWN)
    kind = "quantitative" if is_number else "temporal" if is_time else "nominal"
    axis = alt.Axis(labelLimit=_NAME_LIMIT) if kind == "nominal" else alt.Undefined
    along = alt.X("x", type=kind, title=x, sort=None, axis=axis)
    value = alt.Y("y:Q", title=y, scale=alt.Scale(zero=form == "bars"))
    colour = COLOURS[0]
    marks = {
        "points": alt.Chart(data.head(DRAWN)).mark_point(filled=True, size=70, color=colour),
        "line": alt.Chart(data.head(DRAWN)).mark_line(point=True, color=colour),
        "bars": alt.Chart(data.head(DRAWN)).mark_bar(color=colour, opacity=0.6),
    }
    layers = [marks[form].encode(x=along, y=value, tooltip=["x", "y"])]
    if ends:
        rules = alt.Chart(data.head(DRAWN)).mark_rule(color=colour)
        layers.append(rules.encode(x=along, y=alt.Y("low:Q", title=y), y2=alt.Y2("high:Q")))
    return alt.layer(*layers).properties(height=340, autosize=FIT, title=f"{y} by {x}")
