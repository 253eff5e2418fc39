"""Charts of answers to debatable questions: two metrics at once, places, length, what was found.

Frames come with the columns named in each function; text in them is drawn as plain text.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction) and `tooltips` (columns to repeat on hover).
"""

from collections.abc import Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    PERCENT,
    POINT_SIZE,
    chart_heading,
    dashed,
    hovered,
    whole_ticks,
)
from dashboard.core.series import GREY, JUDGE, LABEL_WIDTH, few_series
from dashboard.core.spots import LETTER, PLOT_HEIGHT, PLOT_WIDTH, label_spots, names_beside

PD_AXIS = "P.D., mean perplexity of the perspectives (left = conveys them better)"
_WIDEST_LABELS = 0.45
# Single-hue steps whose darkness alone carries the value, so they read without colour too.
SHADES = ("#F1F6FB", "#BCD7EB", "#6BAED6", "#2171B5", "#08306B")
FOUND_TOP = 0.6
LEAST_LOGPROB, LETTERS_PER_LINE = -6.0, 48


def scatter(
    rows: pd.DataFrame, *, title: str, note: str, tooltips: Sequence[str]
) -> alt.LayerChart:
    """Draw one point per model: P.D. across, D.A. up, with both intervals.

    `rows` has columns `model`, `pd`, `pd_low`, `pd_high`, `da`, `da_low`, `da_high` (percent) and
    the tooltip columns.
    """
    told = JUDGE
    across = alt.Scale(zero=False, nice=True)
    up = PERCENT
    base = alt.Chart(rows)
    pd_axis = alt.X("pd:Q", title=PD_AXIS, scale=across).axis(tickCount=6)
    da_axis = alt.Y("da:Q", title="D.A., % of answers that show the dispute", scale=up)
    names = names_beside(
        rows, pd_axis, da_axis, "model", label_spots(rows["model"], rows["pd"], rows["da"])
    )
    return alt.layer(
        base.mark_rule(strokeWidth=1.5, opacity=0.65, color=told.colour).encode(
            x=alt.X("pd_low:Q", title=PD_AXIS, scale=across),
            x2=alt.X2("pd_high:Q"),
            y=da_axis,
        ),
        base.mark_rule(strokeWidth=1.5, opacity=0.65, color=told.colour).encode(
            x=pd_axis, y=alt.Y("da_low:Q", scale=up), y2=alt.Y2("da_high:Q")
        ),
        base.mark_point(
            filled=True, size=POINT_SIZE, opacity=1, color=told.colour, shape=told.shape
        ).encode(x=pd_axis, y=da_axis, tooltip=hovered(tooltips)),
        *names,
    ).properties(title=chart_heading(title, note), height=PLOT_HEIGHT, autosize=FIT)


def places(rows: pd.DataFrame, k: float, *, title: str, note: str) -> alt.LayerChart:
    """Draw the place of every model at every weight, and the weight chosen.

    `rows` has columns `model`, `k`, `place` and `hover`.
    `k`: the weight chosen.
    """
    told = few_series(rows.sort_values("place")["model"], "model")
    last = int(rows["place"].max())
    letters = max(len(str(one)) for one in rows["model"])
    room = 1 - min(_WIDEST_LABELS, (LETTER * letters + 14) / PLOT_WIDTH)
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
        .encode(x=along, y=up, text=alt.Text("model:N")),
    ).properties(title=chart_heading(title, note), height=max(150, 26 * last), autosize=FIT)


def lengths(
    points: pd.DataFrame,
    lines: pd.DataFrame,
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
    told = few_series(sorted(set(points["model"])), "model")
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
        .encode(
            x=along,
            y=alt.Y("pd:Q", title=axis, scale=up),
            color=told[0],
            detail=alt.Detail("model:N"),
        ),
        base.mark_rule(strokeWidth=1.5, opacity=0.65).encode(
            x=along,
            y=alt.Y("pd_low:Q", title=axis, scale=up),
            y2=alt.Y2("pd_high:Q"),
            color=told[0],
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
        .encode(x=along, y=alt.Y("pd:Q", title=axis, scale=up), text=alt.Text("model:N")),
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
            text=alt.Text("text:N"),
            color=alt.condition(
                alt.datum.found > FOUND_TOP * 0.55, alt.value("white"), alt.value("#10243A")
            ),
        ),
        base.transform_filter(f"!{known}")
        .mark_text(fontSize=12, color=GREY)
        .encode(text=alt.Text("text:N"), tooltip=[alt.Tooltip("hover:N", title="found")]),
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
            x2=alt.X2("end:Q"),
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
            text=alt.Text("text:N"),
            color=alt.condition(
                alt.datum.logprob > LEAST_LOGPROB * 0.45,
                alt.value("white"),
                alt.value("#10243A"),
            ),
        ),
    ).properties(height=19 * len(rows), autosize=FIT)
