"""Charts of adjudications: tolerance, ranks and scores beside the panel's, error by length.

Frames come with the columns named in each function; text in them is drawn as plain text.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction) and `tooltips` (columns to repeat on hover).
"""

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    PERCENT,
    Measure,
    curve,
    diagonal,
    shaded_table,
    small_title,
    whole_ticks,
)
from dashboard.core.series import GREY, JUDGE, beside_others

# How the lines of guesses are dashed, which the page says in words.
GUESSES = {"always the mean": [8, 4], "speaking order": [2, 3]}


def tolerance(
    rows: pd.DataFrame,
    guesses: pd.DataFrame,
    judge: str,
) -> alt.LayerChart:
    """Draw the share of a judge's scores within each tolerance, beside guesses and other judges.

    `rows` has columns `judge_id`, `tolerance`, `value`, `low`, `high` (percent) and `hover`.
    `guesses` has columns `guess` (of `GUESSES`), `tolerance`, `value` (percent): a line each.
    `judge`: whom the panel is about; the other judges are grey.
    """
    across = alt.X("tolerance:Q", title="tolerance, points either way").axis(
        **whole_ticks(range(0, 11, 2))
    )
    share = Measure("scores within it, % (higher = closer)", PERCENT, way="y")
    dashes = alt.StrokeDash("guess:N", legend=None).scale(
        domain=list(GUESSES), range=list(GUESSES.values())
    )
    guessed = alt.Chart(guesses).mark_line(color=GREY, strokeWidth=2)
    return curve(
        alt.Chart(rows[rows["judge_id"] == judge]).encode(x=across),
        share,
        JUDGE,
        behind=[
            beside_others(rows[rows["judge_id"] != judge], across, share.at()),
            guessed.encode(x=across, y=share.at(), detail=alt.Detail("guess:N"), strokeDash=dashes),
        ],
        title=judge,
        note="",
        height=170,
        hover="share",
        size=50,
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


def scores(points: pd.DataFrame, *, domain: tuple[float, float], title: str) -> alt.LayerChart:
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
        .mark_point(filled=True, color=JUDGE.colour, shape=JUDGE.shape, opacity=0.45)
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


def bins(rows: pd.DataFrame, judge: str, *, axis: str) -> alt.LayerChart:
    """Draw a judge's error on debates of like length against their tokens, others in grey.

    `rows` has columns `judge_id`, `tokens`, `value`, `low`, `high` and `hover`.
    `axis`: what the error is, with its direction.
    """
    across = alt.X("tokens:Q", title="tokens in context, mean of the bin").scale(zero=False)
    error = Measure(axis, alt.Scale(zero=True), way="y")
    return curve(
        alt.Chart(rows[rows["judge_id"] == judge]).encode(x=across),
        error,
        JUDGE,
        behind=[beside_others(rows[rows["judge_id"] != judge], across, error.at())],
        title=judge,
        note="",
        height=220,
        hover="error",
    )
