"""The chart that two topics of decisions share: changes on both sides of no change."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import Measure, dashed, dots, point
from dashboard.core.findings import Row
from dashboard.core.labels import estimate_in
from dashboard.core.series import JUDGE
from dashboard.core.widgets import draw_chart


def show_changes(
    rows: Sequence[Row], label: str, column: str, *, axis: str, title: str, note: str
) -> None:
    """Draw an estimate of each row of a mart.

    Args:
        rows: Of the mart; none lacks the estimate.
        label: The column that names a row.
        axis: What the axis is called.
        note: What the estimate and its interval are.
    """
    points = [
        {"label": row[label], "hover": estimate_in(row, column), **point(row, column)}
        for row in rows
    ]
    draw_chart(changes, points, axis=axis, title=title, note=note)


def changes(points: pd.DataFrame, *, axis: str, title: str, note: str) -> alt.LayerChart:
    """Draw changes with their intervals beside a line at no change, a row each.

    `points` has columns `label`, `value`, `low`, `high` and `hover`.
    """
    measure = Measure(axis)
    line = dashed(0, x=measure.at())
    return dots(points, measure, JUDGE, title=title, note=note, behind=[line], hover="change")
