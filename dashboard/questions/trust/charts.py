"""One chart for trusting a metric: an estimate per row, ours and the paper's told apart."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT, LABEL_WIDTH, POINT_SIZE, chart_heading, dashed, labelled
from dashboard.core.colours import GREY
from dashboard.debates.charts import FIRST_COLOUR

ROW_HEIGHT = 36
_COLOURS, _SHAPES = (FIRST_COLOUR, GREY), ("circle", "square")


def ranked(
    rows: pd.DataFrame,
    kinds: Sequence[str],
    *,
    axis: str,
    title: str,
    note: str,
    row_height: int = ROW_HEIGHT,
) -> alt.LayerChart:
    """Draw one value with interval per row, in the order given, beside zero.

    Args:
        rows: Columns `label` (a line break starts a second line), `kind`, `value`, `low`, `high`
            and `hover`. In order.
        kinds: One or two kinds of rows; the first is blue and round, the second grey and square.
        axis: What the value is, with unit and direction.
        title: What to conclude.
        note: A second line under the title.
        row_height: In pixels.
    """
    order = list(dict.fromkeys(rows["label"]))
    legend = (
        alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH) if len(kinds) > 1 else None
    )
    shown = list(kinds)
    colour = alt.Color("kind:N", legend=legend, sort=shown).scale(
        domain=shown, range=list(_COLOURS[: len(shown)])
    )
    along = alt.Scale(zero=True, nice=True)
    value = alt.X("value:Q", title=axis, scale=along).axis(tickCount=8)
    base = alt.Chart(rows).encode(y=labelled(order))
    return alt.layer(
        dashed(0.0, x=value),
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("low:Q", title=axis, scale=along), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=min(POINT_SIZE, 4 * row_height), opacity=1).encode(
            x=value,
            color=colour,
            shape=alt.Shape("kind:N", legend=legend, sort=shown).scale(
                domain=shown, range=list(_SHAPES[: len(shown)])
            ),
            tooltip=[alt.Tooltip("hover:N", title="value")],
        ),
    ).properties(title=chart_heading(title, note), height=row_height * len(order), autosize=FIT)
