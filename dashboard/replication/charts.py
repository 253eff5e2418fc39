"""How the printed figures of each table came out, as a chart."""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT, chart_heading
from dashboard.core.series import GREY, LABEL_WIDTH

# In the order of the legend: what is shown, and what it means.
STATUSES = {
    "agrees": ("comes out as printed", "The recomputed value rounds to the printed digits."),
    "differs": ("comes out otherwise", "It should agree and does not."),
    "contradicted": (
        "the paper contradicts itself",
        "The paper's own figures do not fit each other; both numbers are in the table.",
    ),
    "shipped": (
        "shipped, not computed",
        "Rows of the paper's own list, which comes with this project, number as printed.",
    ),
    "no_data": ("no data", "What it needs is not loaded."),
    "not_published": ("not published", "The printed counts are not enough to compute it."),
    "not_comparable": ("not a figure of data", "A setting or a finding, not a figure."),
}
_COLOURS = ("#009E73", "#D55E00", "#E69F00")


def statuses(rows: pd.DataFrame, order: Sequence[str], *, title: str, note: str) -> alt.LayerChart:
    """Draw one bar per table, with a number in each part.

    Args:
        rows: Columns `location`, `status` (as text) and `figures`.
        order: The locations, from the top.
    """
    shown = [words for words, _ in STATUSES.values()][: len(_COLOURS)]
    base = alt.Chart(rows).encode(
        y=alt.Y("location:N", sort=list(order), title=None).axis(
            labelLimit=LABEL_WIDTH, labelOverlap=False
        ),
        x=alt.X("figures:Q", stack="zero", title="figures, number").axis(format="d", tickMinStep=1),
        order=alt.Order("place:Q"),
    )
    place = f"indexof({shown!r}, datum.status)"
    return (
        alt.layer(
            base.mark_bar(stroke=GREY, strokeWidth=0.5).encode(
                color=alt.Color(
                    "status:N",
                    sort=shown,
                    legend=alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH),
                ).scale(domain=shown, range=list(_COLOURS)),
                tooltip=["location:N", "status:N", "figures:Q"],
            ),
            base.mark_text(dx=-10, color="white", fontWeight="bold").encode(
                text=alt.Text("figures:Q")
            ),
        )
        .transform_calculate(place=place)
        .properties(title=chart_heading(title, note), height=26 * len(order), autosize=FIT)
    )
