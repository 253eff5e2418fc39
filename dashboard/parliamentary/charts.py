"""Charts of adjudications: tolerance, ranks and scores beside the panel's, error by length.

Frames come with the columns named in each function; text in them is drawn as plain text.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction), `looks` (how each judge is drawn) and `tooltips` (columns to repeat on hover).
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    LABEL_WIDTH,
    PERCENT,
    Measure,
    by_judge,
    curve,
    diagonal,
    legend_above,
    shaded_table,
    small_title,
    whole_ticks,
)
from dashboard.core.colours import GREY, Look


def tolerance(
    rows: pd.DataFrame,
    guesses: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw the share of scores within each tolerance, and what guesses would reach.

    `rows` has columns `judge_id`, `tolerance`, `value`, `low`, `high` (percent) and `hover`.
    `guesses` has columns `guess`, `tolerance`, `value` (percent): one dashed line each.
    """
    across = alt.X("tolerance:Q", title="tolerance, points either way").axis(
        **whole_ticks(range(11))
    )
    share = Measure(
        "scores within the tolerance, % (higher = closer to the panel)", PERCENT, way="y"
    )
    names = list(dict.fromkeys(guesses["guess"]))
    legend = alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH)
    dashes = alt.StrokeDash("guess:N", legend=legend).scale(domain=names, range=[[8, 4], [2, 3]])
    guessed = alt.Chart(guesses).mark_line(color=GREY, strokeWidth=2)
    judges = list(rows["judge_id"])
    return curve(
        alt.Chart(rows).encode(x=across),
        share,
        by_judge(looks, judges, legend_above(judges)),
        behind=[
            guessed.encode(x=across, y=share.at(), detail="guess:N", strokeDash=dashes),
        ],
        title=title,
        note=note,
        height=340,
        hover="share",
        size=70,
    )


def confusion(cells: pd.DataFrame, *, title: str) -> alt.LayerChart:
    """Draw which rank a judge gives to houses of each official rank: shares of each row.

    Args:
        cells: Columns `official`, `predicted` (1 to 4), `share` (percent, missing where unknown),
            `text` and `hover`.
        title: Which judge.
    """
    base = alt.Chart(cells).encode(
        x=alt.X("predicted:O", title="the judge's rank").axis(
            labelAngle=0, orient="top", domain=False, ticks=False
        ),
        y=alt.Y("official:O", title="the panel's rank").axis(domain=False, ticks=False),
    )
    return shaded_table(base, title, height=210)


def scores(
    points: pd.DataFrame, look: Look, *, domain: tuple[float, float], title: str
) -> alt.LayerChart:
    """Draw the scores a judge gave against the official ones; on the line both are the same.

    `points` has columns `official`, `given`, `speech_count`.
    `domain`: lowest and highest score of either axis, the same in every panel.
    `title`: which judge.
    """
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    across = alt.X("official:Q", title="official score, points", scale=scale).axis(tickCount=6)
    up = alt.Y("given:Q", title="score given, points", scale=scale).axis(tickCount=6)
    return alt.layer(
        diagonal("official", "given", domain, x=across, y=up),
        alt.Chart(points)
        .mark_point(filled=True, color=look.colour, shape=look.shape, opacity=0.45)
        .encode(
            x=across,
            y=up,
            size=alt.Size("speech_count:Q", legend=None).scale(range=[30, 220], domainMin=1),
            tooltip=[
                alt.Tooltip("official:Q"),
                alt.Tooltip("given:Q"),
                alt.Tooltip("speech_count:Q", title="speeches"),
            ],
        ),
    ).properties(title=small_title(title), height=240, autosize=FIT)


def bins(
    rows: pd.DataFrame, looks: Mapping[str, Look], *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw the error of debates of like length against their tokens.

    `rows` has columns `judge_id`, `tokens`, `value`, `low`, `high` and `hover`.
    `axis`: what the error is, with its direction.
    """
    judges = list(rows["judge_id"])
    across = alt.X("tokens:Q", title="tokens in context, mean of the bin").scale(zero=False)
    return curve(
        alt.Chart(rows).encode(x=across),
        Measure(axis, alt.Scale(zero=True), way="y"),
        by_judge(looks, judges, legend_above(judges)),
        title=title,
        note=note,
        height=280,
        hover="error",
    )
