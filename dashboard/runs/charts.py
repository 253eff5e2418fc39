"""From frames about runs to charts: the outcomes of requests, and how long they took.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction), `looks` (how each judge is drawn) and `tooltips` (columns to repeat on hover).
"""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import FIT, chart_heading, hovered
from dashboard.core.series import GREY, LABEL_WIDTH, Look, height_of_row, labelled
from dashboard.runs.findings import NO_REFERENCE, READ, STATUS_WORDS, WAITING

# Colours of Okabe and Ito. Statuses that call for the same next step share one. The legend is in
# the order of the bars, so that the order repeats what the colour says.
GROUPS = {
    READ: "#0072B2",
    "not readable": "#E69F00",
    "declined or filtered": "#CC79A7",
    "prompt too long": "#009E73",
    "no usable reply": "#D55E00",
    "turned away": "#56B4E9",
    STATUS_WORDS[NO_REFERENCE]: "#B8BAC0",
    WAITING: GREY,
}
_GROUP_OF = {
    READ: READ,
    "unparsed": "not readable",
    "truncated": "not readable",
    "refused": "declined or filtered",
    "filtered": "declined or filtered",
    "context_overflow": "prompt too long",
    "rate_limited": "turned away",
    "overloaded": "turned away",
    "authentication": "turned away",
    "billing": "turned away",
    NO_REFERENCE: STATUS_WORDS[NO_REFERENCE],
    WAITING: WAITING,
}
PERCENTILES = {"p50": "median", "p90": "slowest tenth, from", "p99": "slowest hundredth, from"}
_BAR = 22


def group_of(status: str) -> str:
    """Return the group a status is drawn in; errors of other kinds brought no usable reply."""
    return _GROUP_OF.get(status, "no usable reply")


def statuses(outcomes: pd.DataFrame, labels: Sequence[str], *, title: str, note: str) -> alt.Chart:
    """Draw the outcomes of each run's requests as one bar, from none to all of them.

    `outcomes` has columns `label` (drawn beside the bar; a line break starts a second line),
    `group` (one of `GROUPS`), `share` and the tooltip columns `judge`, `run`, `status`, `requests`.
    `labels`: the bars, in order.
    """
    present = [group for group in GROUPS if (outcomes["group"] == group).any()]
    rank = {group: place for place, group in enumerate(GROUPS)}
    return (
        alt.Chart(outcomes.assign(place=[rank[group] for group in outcomes["group"]]))
        .mark_bar(size=_BAR)
        .encode(
            y=alt.Y("label:N", sort=list(labels), title=None).axis(
                labelLimit=LABEL_WIDTH, labelOverlap=False, labelExpr="split(datum.label, '\\n')"
            ),
            x=alt.X("share:Q", stack="zero", title="share of planned requests")
            .scale(domain=[0, 1])
            .axis(format=".0%", tickCount=5),
            color=alt.Color("group:N", sort=present, title=None)
            .scale(domain=present, range=[GROUPS[group] for group in present])
            .legend(orient="top", columns=4, labelLimit=LABEL_WIDTH, symbolType="square"),
            order=alt.Order("place:Q"),
            tooltip=hovered(["judge", "run", "status", "requests"]),
        )
        .properties(
            title=chart_heading(title, note),
            height=height_of_row(labels) * len(labels),
            autosize=FIT,
        )
    )


def latencies(
    seconds: pd.DataFrame,
    labels: Sequence[str],
    looks: Mapping[str, Look],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw how long requests took: median, slowest tenth, slowest hundredth.

    `seconds`: one row per run: columns `label`, `judge_id`, `p50`, `p90`, `p99` and the tooltip
    columns `judge`, `run`, `seconds`, `n`.
    `labels`: the rows, in order.
    """
    shown = sorted(set(seconds["judge_id"]))
    colour = alt.Color("judge_id:N", legend=None).scale(
        domain=shown, range=[looks[judge].colour for judge in shown]
    )
    row = labelled(list(labels))
    # From a rule's microseconds to a long answer's minutes; unlike a logarithm it has a zero.
    # A run may have a median and no percentiles; the axis ends beyond the largest known one.
    top = 1.4 * float(seconds[list(PERCENTILES)].max().max())
    scale = alt.Scale(type="symlog", constant=0.01, domain=[0, top], nice=False)
    axis = "seconds per request, its last attempt (lower = faster)"
    along = alt.Axis(values=[0, 0.01, 0.1, 1, 10, 100, 1000], format="~r")
    points = seconds.melt(
        id_vars=[name for name in seconds.columns if name not in PERCENTILES],
        value_vars=list(PERCENTILES),
        var_name="percentile",
        value_name="value",
    ).replace({"percentile": PERCENTILES})
    return alt.layer(
        alt.Chart(seconds)
        .mark_rule(strokeWidth=2)
        .encode(
            y=row, x=alt.X("p50:Q", title=axis, scale=scale, axis=along), x2="p99:Q", color=colour
        ),
        alt.Chart(points)
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            y=row,
            x=alt.X("value:Q", title=axis, scale=scale, axis=along),
            color=colour,
            shape=alt.Shape("percentile:N", title=None)
            .scale(domain=list(PERCENTILES.values()), range=["circle", "square", "triangle-right"])
            .legend(
                orient="top", labelLimit=LABEL_WIDTH, symbolFillColor=GREY, symbolStrokeWidth=0
            ),
            tooltip=hovered(["judge", "run", "seconds", "n"]),
        ),
    ).properties(
        title=chart_heading(title, note), height=height_of_row(labels) * len(labels), autosize=FIT
    )
