"""Charts of adjudications: errors beside chance, tolerance, ranks and scores beside the panel's.

Frames come with the columns named in each function; text in them is drawn as plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    LABEL_WIDTH,
    POINT_SIZE,
    ROW_HEIGHT,
    by_judge,
    chart_heading,
    labelled,
    legend_above,
    people_band,
    shaded_table,
    whole_ticks,
)
from dashboard.core.colours import GREY, Look

_LINE = 15


def errors(
    rows: pd.DataFrame,
    looks: Mapping[str, Look],
    lines: Sequence[tuple[str, float]],
    people: Mapping[str, Any] | None,
    *,
    axis: str,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw one row per judge: its value with interval, beside what guessing gives.

    Args:
        rows: Columns `label` (a line break starts a second line), `judge_id`, `value`, `low`,
            `high`, `best`, `worst` (bounds when failures are counted at their best and worst,
            else missing) and `hover`. In order.
        looks: How each judge is drawn.
        lines: Name and value of each dashed line: chance and other guesses.
        people: `value`, `low`, `high` of one adjudicator of the panel.
        axis: What the value is, with its direction.
        title: What to conclude.
        note: A second line under the title.
    """
    scale = alt.Scale(zero=True, nice=True)
    along = alt.X("value:Q", title=axis, scale=scale).axis(tickCount=8)
    row = labelled(list(rows["label"]))
    colour, shape = by_judge(looks, list(rows["judge_id"]))
    base = alt.Chart(rows).encode(y=row)
    layers: list[alt.Chart] = people_band(people, scale, axis, "a panellist") if people else []
    names_above = bool(layers)
    for at, (name, value) in enumerate(sorted(lines, key=lambda line: line[1]), int(names_above)):
        one = alt.Chart(pd.DataFrame({"value": [value], "text": [f"{name} {value:.3g}"]}))
        layers.append(one.mark_rule(color=GREY, strokeDash=[4, 4], strokeWidth=1.5).encode(x=along))
        # Lines may lie close together: each next name stands a line higher.
        layers.append(
            one.mark_text(color=GREY, baseline="bottom", fontSize=12).encode(
                x=along, y=alt.value(-8 - _LINE * at), text="text:N"
            )
        )
    if rows["worst"].notna().any():
        layers.append(
            base.mark_rule(strokeWidth=1.5, strokeDash=[2, 3]).encode(
                x=alt.X("best:Q", title=axis, scale=scale), x2="worst:Q", color=colour
            )
        )
    layers += [
        base.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1).encode(
            x=along, color=colour, shape=shape, tooltip=[alt.Tooltip("hover:N", title="value")]
        ),
    ]
    heading = chart_heading(title, note)
    heading.offset = 14 + _LINE * max(0, len(lines) + int(names_above) - 1)
    return alt.layer(*layers).properties(title=heading, height=ROW_HEIGHT * len(rows), autosize=FIT)


def tolerance(
    rows: pd.DataFrame,
    guesses: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw the share of scores within each tolerance, and what guesses would reach.

    Args:
        rows: Columns `judge_id`, `tolerance`, `share`, `low`, `high` (percent) and `hover`.
        guesses: Columns `guess`, `tolerance`, `share` (percent): one dashed line each.
        looks: How each judge is drawn.
        title: What to conclude.
        note: A second line under the title.
    """
    across = alt.X("tolerance:Q", title="tolerance, points either way").axis(
        **whole_ticks(range(11))
    )
    up = alt.Scale(domain=[0, 100], nice=False)
    name = "scores within the tolerance, % (higher = closer to the panel)"
    judges = list(rows["judge_id"])
    colour, shape = by_judge(looks, judges, legend_above(judges))
    base = alt.Chart(rows).encode(x=across)
    share = alt.Y("share:Q", title=name, scale=up)
    dashed = alt.Chart(guesses).encode(x=across, y=share, detail="guess:N")
    return alt.layer(
        dashed.mark_line(color=GREY, strokeWidth=2).encode(
            strokeDash=alt.StrokeDash(
                "guess:N", legend=alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH)
            ).scale(domain=list(dict.fromkeys(guesses["guess"])), range=[[8, 4], [2, 3]])
        ),
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(
            y=alt.Y("low:Q", title=name, scale=up), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.5).encode(y=share, color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=share, color=colour, shape=shape, tooltip=[alt.Tooltip("hover:N", title="share")]
        ),
    ).properties(title=chart_heading(title, note), height=340, autosize=FIT)


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

    Args:
        points: Columns `official`, `given`, `speech_count`.
        look: How the judge is drawn.
        domain: Lowest and highest score of either axis, the same in every panel.
        title: Which judge.
    """
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    across = alt.X("official:Q", title="official score, points", scale=scale).axis(tickCount=6)
    up = alt.Y("given:Q", title="score given, points", scale=scale).axis(tickCount=6)
    ends = pd.DataFrame({"official": list(domain), "given": list(domain)})
    return alt.layer(
        alt.Chart(ends)
        .mark_line(color=GREY, strokeDash=[4, 4], strokeWidth=1.5)
        .encode(x=across, y=up),
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
    ).properties(
        title=alt.TitleParams(title, anchor="start", fontSize=12, limit=320),
        height=240,
        autosize=FIT,
    )


def bins(
    rows: pd.DataFrame, looks: Mapping[str, Look], *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw the error of debates of like length against their tokens.

    Args:
        rows: Columns `judge_id`, `tokens`, `value`, `low`, `high` and `hover`.
        looks: How each judge is drawn.
        axis: What the error is, with its direction.
        title: What to conclude.
        note: A second line under the title.
    """
    judges = list(rows["judge_id"])
    colour, shape = by_judge(looks, judges, legend_above(judges))
    across = alt.X("tokens:Q", title="tokens in context, mean of the bin").scale(zero=False)
    base = alt.Chart(rows).encode(x=across)
    up = alt.Y("value:Q", title=axis).scale(zero=True)
    return alt.layer(
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(
            y=alt.Y("low:Q", title=axis).scale(zero=True), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.5).encode(y=up, color=colour),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            y=up, color=colour, shape=shape, tooltip=[alt.Tooltip("hover:N", title="error")]
        ),
    ).properties(title=chart_heading(title, note), height=280, autosize=FIT)
