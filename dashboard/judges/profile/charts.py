"""Charts of a judge's profile: one row per estimate, people and chance beside the judge."""

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import FITTED, PERCENT, Measure, dashed, dots
from dashboard.core.series import GREY, labelled, legend_above, told_apart
from dashboard.judges.profile.measures import (
    AXES,
    CHANGE,
    CLOSENESS,
    PERPLEXITY,
    PLACES,
    POINTS,
    RATING,
    RATIO,
    SHARE,
)

# What a point of one judge may mean. The shape repeats the colour.
ABOVE, BELOW, UNTOLD, ITSELF, PEOPLE = (
    "above people",
    "below people",
    "not told apart from people",
    "no paired test with people",
    "people",
)
CLEAR, UNCLEAR, UNTESTED = (
    "significant after correction",
    "not significant",
    "not tested here",
)
MEANINGS: Mapping[str, tuple[str, str]] = {
    ABOVE: ("#0072B2", "triangle-up"),
    BELOW: ("#D55E00", "triangle-down"),
    UNTOLD: ("#56B4E9", "square"),
    ITSELF: ("#0072B2", "circle"),
    CLEAR: ("#D55E00", "diamond"),
    UNCLEAR: ("#0072B2", "circle"),
    UNTESTED: ("#0072B2", "circle"),
    PEOPLE: (GREY, "diamond"),
}
FIRST, SECOND = ("#0072B2", "circle"), ("#D55E00", "square")
_SCALES: Mapping[str, alt.Scale] = {
    CLOSENESS: alt.Scale(domainMax=1, zero=True, nice=False),
    SHARE: PERCENT,
    RATIO: alt.Scale(zero=False, nice=True),
    RATING: alt.Scale(zero=False, nice=True),
    PERPLEXITY: alt.Scale(zero=False, nice=True),
}
_REFERENCES: Mapping[str, float] = {CHANGE: 0, POINTS: 0, PLACES: 0, RATIO: 1}
_LANE, _ALONE = 18, 40


def forest(
    rows: pd.DataFrame, *, kind: str, title: str, note: str, judges: Sequence[str]
) -> alt.LayerChart:
    """Draw estimates of one kind of number with their intervals, a row for each.

    Args:
        rows: Columns `label`, `which` (a judge of two, people, or what the point means), `lane`
            (whose it is), `value`, `low`, `high`, `chance` and `hover`. In order.
        kind: Kind of number.
        judges: Whose profile it is; two are told apart by colour and shape.
    """
    looks = dict(MEANINGS)
    if len(judges) > 1:
        looks |= {judges[0]: FIRST, judges[1]: SECOND}
    present = set(rows["which"])
    order = [one for one in (*judges, *MEANINGS) if one in present]
    colours, shapes = zip(*(looks[one] for one in order), strict=True)
    lanes = [one for one in (*judges, PEOPLE) if one in set(rows["lane"])]
    measure = Measure(AXES[kind], _SCALES.get(kind, FITTED), {"tickCount": 6})
    labels = list(dict.fromkeys(rows["label"]))
    behind = []
    if kind in _REFERENCES:
        behind.append(dashed(_REFERENCES[kind], x=measure.at()))
    by_chance = rows[rows["chance"].notna()]
    if not by_chance.empty:
        behind.append(
            alt.Chart(by_chance.drop_duplicates("label"))
            .mark_tick(color=GREY, thickness=2, size=20)
            .encode(
                x=measure.of("chance"),
                y=labelled(labels),
                tooltip=[alt.Tooltip("chance:Q", title="guessing")],
            )
        )
    return dots(
        rows,
        measure,
        told_apart("which", order, colours, shapes, legend_above(order)),
        title=title,
        note=note,
        behind=behind,
        lanes=alt.YOffset("lane:N", sort=lanes) if len(lanes) > 1 else None,
        row_height=max(_ALONE, _LANE * len(lanes)),
        size=90,
        hover="estimate",
    )
