"""Charts of answers to debatable questions: two metrics at once, places, length, what was found.

Frames come with the columns named in each function; text in them is drawn as plain text.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction), `looks` (how each judge is drawn) and `tooltips` (columns to repeat on hover).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    LABEL_WIDTH,
    PERCENT,
    POINT_SIZE,
    by_judge,
    chart_heading,
    dashed,
    hovered,
    whole_ticks,
)
from dashboard.core.colours import GREY, Look

PD_AXIS = "P.D., mean perplexity of the perspectives (left = conveys them better)"
# Where a label can stand around its point: to which side, how far up (above 0 is down).
SPOTS = tuple((side, rise) for rise in (-9, 13, -22, 26, 39, 52, 65) for side in ("right", "left"))
_LETTER, _LINE, _PLOT_WIDTH, _PLOT_HEIGHT = 6.2, 13.0, 840.0, 420.0
_WIDEST_LABELS = 0.45
# Single-hue steps whose darkness alone carries the value, so they read without colour too.
SHADES = ("#F1F6FB", "#BCD7EB", "#6BAED6", "#2171B5", "#08306B")
FOUND_TOP = 0.6
LEAST_LOGPROB, LETTERS_PER_LINE = -6.0, 48


def scatter(
    rows: pd.DataFrame, looks: Mapping[str, Look], *, title: str, note: str, tooltips: Sequence[str]
) -> alt.LayerChart:
    """Draw one point per model: P.D. across, D.A. up, with both intervals.

    `rows` has columns `model`, `pd`, `pd_low`, `pd_high`, `da`, `da_low`, `da_high` (percent) and
    the tooltip columns.
    """
    told = by_judge(looks, sorted(set(rows["model"])), field="model")
    across = alt.Scale(zero=False, nice=True)
    up = PERCENT
    rows = rows.assign(spot=label_spots(rows["model"], rows["pd"], rows["da"]))
    base = alt.Chart(rows)
    pd_axis = alt.X("pd:Q", title=PD_AXIS, scale=across).axis(tickCount=6)
    da_axis = alt.Y("da:Q", title="D.A., % of answers that show the dispute", scale=up)
    names = [
        base.transform_filter(alt.datum.spot == at)
        .mark_text(
            align="left" if side == "right" else "right",
            dx=8 if side == "right" else -8,
            dy=rise,
            fontSize=11,
            color=GREY,
            limit=LABEL_WIDTH,
        )
        .encode(x=pd_axis, y=da_axis, text="model:N")
        for at, (side, rise) in enumerate(SPOTS)
        if at in set(rows["spot"])
    ]
    return alt.layer(
        base.mark_rule(strokeWidth=1.5, opacity=0.65).encode(
            x=alt.X("pd_low:Q", title=PD_AXIS, scale=across),
            x2="pd_high:Q",
            y=da_axis,
            color=told[0],
        ),
        base.mark_rule(strokeWidth=1.5, opacity=0.65).encode(
            x=pd_axis, y=alt.Y("da_low:Q", scale=up), y2="da_high:Q", color=told[0]
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1).encode(
            x=pd_axis, y=da_axis, color=told[0], shape=told[1], tooltip=hovered(tooltips)
        ),
        *names,
    ).properties(title=chart_heading(title, note), height=_PLOT_HEIGHT, autosize=FIT)


def label_spots(names: Sequence[str], across: Sequence[float], up: Sequence[float]) -> list[int]:
    """Return for each point the first of `SPOTS` at which its label covers nothing drawn before.

    Places are those of a plot of the usual width; in a wider one labels only stand further apart.
    """
    least, span = min(across), (max(across) - min(across)) or 1.0
    points = [
        ((x - least) / span * _PLOT_WIDTH, (100 - y) / 100 * _PLOT_HEIGHT)
        for x, y in zip(across, up, strict=True)
    ]
    taken = [(x - 6, x + 6, y - 6, y + 6) for x, y in points]
    chosen = []
    for name, (x, y) in zip(names, points, strict=True):
        width = _LETTER * len(name)
        boxes = []
        for side, rise in SPOTS:
            left = x + 8 if side == "right" else x - 8 - width
            middle = y + rise
            boxes.append((left, left + width, middle - _LINE / 2, middle + _LINE / 2))
        free = (
            at
            for at, box in enumerate(boxes)
            if box[0] >= 0
            and box[1] <= _PLOT_WIDTH
            and box[2] >= 0
            and not any(_cross(box, other) for other in taken)
        )
        at = next(free, 0 if x < _PLOT_WIDTH / 2 else 1)
        taken.append(boxes[at])
        chosen.append(at)
    return chosen


def _cross(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def places(
    rows: pd.DataFrame, looks: Mapping[str, Look], k: float, *, title: str, note: str
) -> alt.LayerChart:
    """Draw the place of every model at every weight, and the weight chosen.

    `rows` has columns `model`, `k`, `place` and `hover`.
    `k`: the weight chosen.
    """
    told = by_judge(looks, sorted(set(rows["model"])), field="model")
    last = int(rows["place"].max())
    letters = max(len(str(one)) for one in rows["model"])
    room = 1 - min(_WIDEST_LABELS, (_LETTER * letters + 14) / _PLOT_WIDTH)
    along = alt.X(
        "k:Q",
        title="k, the weight of P.D. (left: D.A. alone, right: P.D. alone)",
        scale=alt.Scale(domain=[0, 1 / room], nice=False),
    ).axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2f", grid=False)
    up = alt.Y(
        "place:Q", title="place, 1 is best", scale=alt.Scale(domain=[last + 0.5, 0.5], nice=False)
    ).axis(**whole_ticks(range(1, last + 1)))
    base = alt.Chart(rows)
    return alt.layer(
        dashed(k, x=along, name="k"),
        base.mark_line(strokeWidth=2).encode(x=along, y=up, color=told[0]),
        base.transform_filter("abs(datum.k * 4 - round(datum.k * 4)) < 0.01")
        .mark_point(filled=True, size=70, opacity=1)
        .encode(x=along, y=up, color=told[0], shape=told[1], tooltip=hovered("place")),
        base.transform_filter(alt.datum.k == 1)
        .mark_text(align="left", dx=9, fontSize=11, color=GREY, limit=LABEL_WIDTH)
        .encode(x=along, y=up, text="model:N"),
    ).properties(title=chart_heading(title, note), height=max(150, 26 * last), autosize=FIT)


def lengths(
    points: pd.DataFrame,
    lines: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    title: str,
    note: str,
    tooltips: Sequence[str],
) -> alt.LayerChart:
    """Draw P.D. against the length of answers, and the line of each model's own slope.

    `points` has columns `model`, `words`, `pd`, `pd_low`, `pd_high`, `asked` ('as chosen above' or
    'otherwise') and the tooltip columns.
    `lines` has columns `model`, `words` and `pd`; two rows per model, none without a slope.
    """
    told = by_judge(looks, sorted(set(points["model"])), field="model")
    along = alt.X(
        "words:Q",
        title="words of an answer, mean (right = longer)",
        scale=alt.Scale(type="log", base=2, nice=False, padding=24),
    ).axis(format=",d", tickCount=6)
    axis = "P.D., mean perplexity (lower = conveys them better)"
    up = alt.Scale(zero=False, nice=True)
    base = alt.Chart(points)
    here = alt.datum.asked == "as chosen above"
    return alt.layer(
        alt.Chart(lines)
        .mark_line(strokeWidth=2, opacity=0.8)
        .encode(x=along, y=alt.Y("pd:Q", title=axis, scale=up), color=told[0], detail="model:N"),
        base.mark_rule(strokeWidth=1.5, opacity=0.65).encode(
            x=along, y=alt.Y("pd_low:Q", title=axis, scale=up), y2="pd_high:Q", color=told[0]
        ),
        base.mark_point(size=POINT_SIZE, strokeWidth=2, opacity=1).encode(
            x=along,
            y=alt.Y("pd:Q", title=axis, scale=up),
            color=told[0],
            shape=told[1],
            fill=alt.condition(here, told[0], alt.value("transparent"), legend=None),
            tooltip=hovered(tooltips),
        ),
        base.transform_filter(here)
        .mark_text(align="left", dx=9, dy=-9, fontSize=11, color=GREY, limit=LABEL_WIDTH)
        .encode(x=along, y=alt.Y("pd:Q", title=axis, scale=up), text="model:N"),
    ).properties(title=chart_heading(title, note), height=380, autosize=FIT)


def found(cells: pd.DataFrame) -> alt.LayerChart:
    """Draw how much of one perspective was found in each answer, one shaded cell per answer.

    Args:
        cells: Columns `side` (which answer), `found` (probability per token, or missing), `text`
            and `hover`. In order.
    """
    base = alt.Chart(cells).encode(
        x=alt.X("side:N", sort=list(cells["side"]), title=None).axis(
            orient="top", labelAngle=0, domain=False, ticks=False
        )
    )
    known = "isValid(datum.found)"
    return alt.layer(
        base.transform_filter(known)
        .mark_rect(stroke=GREY, strokeWidth=0.5)
        .encode(
            color=alt.Color("found:Q", legend=None).scale(
                domain=[0, FOUND_TOP], range=list(SHADES), clamp=True
            ),
            tooltip=[alt.Tooltip("hover:N", title="found")],
        ),
        base.transform_filter(known)
        .mark_text(fontSize=12)
        .encode(
            text="text:N",
            color=alt.condition(
                alt.datum.found > FOUND_TOP * 0.55, alt.value("white"), alt.value("#10243A")
            ),
        ),
        base.transform_filter(f"!{known}")
        .mark_text(fontSize=12, color=GREY)
        .encode(text="text:N", tooltip=[alt.Tooltip("hover:N", title="found")]),
    ).properties(height=34, autosize=FIT)


def tokens(placed: pd.DataFrame) -> alt.LayerChart:
    """Draw the text of one perspective, every token shaded by its log-probability.

    Args:
        placed: Columns `text`, `line`, `start`, `end`, `text_at`, `logprob` and `hover`. In order.
    """
    rows = list(range(int(placed["line"].max()) + 1))
    along = alt.Scale(domain=[0, LETTERS_PER_LINE], nice=False)
    base = alt.Chart(placed).encode(
        y=alt.Y("line:O", axis=None, sort=rows).scale(paddingInner=0.12),
    )
    return alt.layer(
        base.mark_rect().encode(
            x=alt.X("start:Q", axis=None, scale=along),
            x2="end:Q",
            color=alt.Color("logprob:Q", legend=None).scale(
                domain=[LEAST_LOGPROB, 0], range=list(SHADES), clamp=True
            ),
            tooltip=[alt.Tooltip("text:N", title="token"), alt.Tooltip("hover:N", title="found")],
        ),
        # Letters as wide as their room, whatever the width of the place.
        base.mark_text(
            align="left",
            font="monospace",
            fontSize=alt.ExprRef(f"min(15, width / {LETTERS_PER_LINE} / 0.605)"),
        ).encode(
            x=alt.X("text_at:Q", axis=None, scale=along),
            text="text:N",
            color=alt.condition(
                alt.datum.logprob > LEAST_LOGPROB * 0.45,
                alt.value("white"),
                alt.value("#10243A"),
            ),
        ),
    ).properties(height=19 * len(rows), autosize=FIT)
