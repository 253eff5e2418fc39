"""From a frame to a chart. Points with intervals, people as a grey band, chance as a dashed line.

Frames come with the columns named in each function; text in them is drawn as plain text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from dashboard.core.colours import GREY, Look
from dashboard.core.findings import Row
from dashboard.core.labels import HUMAN, UNPARSED_LIMIT, is_missing, number, scaled

ROW_HEIGHT = 46
JUDGES_DRAWN = 30
SOURCE_LABEL_WIDTH = 220
# A name has no longest length; a longer one than this leaves the plot no room. Hover texts have it.
LABEL_WIDTH = 420
POINT_SIZE = 110
LEGEND_LETTERS = 70
# As wide as the page, but with a plot as high as asked for, whatever title and axes need.
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")
_BAND_OPACITY = 0.22


def whole_ticks(values: Sequence[int]) -> dict[str, Any]:
    """Return the settings of an axis of whole numbers that shows every one of these.

    With no least step, a browser drew of three ticks, one apart, the outer two only. A least step
    below their distance keeps them all.
    """
    return {"values": list(values), "format": "d", "tickMinStep": 0.5}


def point(row: Row, column: str, by: float = 1) -> dict[str, float | None]:
    """Return an estimate and the ends of its interval as a chart's `value`, `low` and `high`.

    Args:
        row: Of a mart.
        column: The estimate; its interval's ends are named after it.
        by: What they are multiplied by: 100 turns shares into percent.
    """
    names = {"value": column, "low": f"{column}_low", "high": f"{column}_high"}
    return {name: scaled(row[one], by) for name, one in names.items()}


def labelled(order: Sequence[str]) -> alt.Y:
    """Return the axis of named rows, in order; a line break in a name starts another line."""
    return alt.Y("label:N", sort=list(order), title=None).axis(
        labelLimit=LABEL_WIDTH, labelOverlap=False, labelExpr="split(datum.label, '\\n')", grid=True
    )


def dashed(value: float, *, name: str = "value", **place: alt.X | alt.Y) -> alt.Chart:
    """Return a dashed line at a value, such as chance.

    Args:
        value: Where it stands.
        name: The field that the axis reads.
        place: The axis, as `x` or `y`.
    """
    return (
        alt.Chart(pd.DataFrame({name: [value]}))
        .mark_rule(color=GREY, strokeDash=[4, 4], strokeWidth=1.5)
        .encode(**place)
    )


def chart_heading(text: str, note: str) -> alt.TitleParams:
    """Return a title that says what to conclude, with a quieter line beneath it."""
    return alt.TitleParams(
        text,
        subtitle=note,
        anchor="start",
        subtitleColor=GREY,
        subtitlePadding=4,
        offset=14,
    )


def _by_judge(looks: Mapping[str, Look], judge_ids: Sequence[str]) -> dict[str, Any]:
    """Return the colour and shape encodings; a shape repeats what the colour says."""
    shown = sorted(set(judge_ids))
    return {
        "color": alt.Color("judge_id:N", legend=None).scale(
            domain=shown, range=[looks[judge].colour for judge in shown]
        ),
        "shape": alt.Shape("judge_id:N", legend=None).scale(
            domain=shown, range=[looks[judge].shape for judge in shown]
        ),
    }


def agreement(
    judges: pd.DataFrame,
    people: Mapping[str, Any] | None,
    looks: Mapping[str, Look],
    *,
    axis: str,
    title: str,
    note: str,
    tooltips: Sequence[str],
) -> alt.LayerChart:
    """Draw one row per judge: its value with interval, beside the band of people.

    Args:
        judges: Columns `label` (drawn beside the row; a line break starts a second line),
            `judge_id`, `value`, `low`, `high`, `nearest`, `farthest` (bounds when failures are
            counted at their best and worst, else missing) and the tooltip columns. In order.
        people: `value`, `low`, `high` of the human row.
        looks: How each judge is drawn.
        axis: What the value is, with its direction.
        title: What the chart shows, as a sentence.
        note: A second line under the title.
        tooltips: Columns to repeat on hover.
    """
    row = labelled(list(judges["label"]))
    scale = alt.Scale(zero=True, nice=True)
    value = alt.X("value:Q", title=axis, scale=scale).axis(tickCount=8)
    look = _by_judge(looks, list(judges["judge_id"]))
    hover = [alt.Tooltip(f"{name}:N") for name in tooltips]
    base = alt.Chart(judges).encode(y=row)
    layers: list[alt.Chart] = []
    if people and not is_missing(people["value"]):
        layers += people_band(people, scale, axis)
    layers.append(dashed(0.0, x=value))
    if judges["farthest"].notna().any():
        layers.append(
            base.mark_rule(strokeWidth=1.5, strokeDash=[2, 3]).encode(
                x=alt.X("farthest:Q", title=axis, scale=scale), x2="nearest:Q", color=look["color"]
            )
        )
    layers += [
        base.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q", color=look["color"]
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1).encode(
            x=value, tooltip=hover, **look
        ),
    ]
    return alt.layer(*layers).properties(
        title=chart_heading(title, note), height=ROW_HEIGHT * len(judges), autosize=FIT
    )


def by_judge(
    looks: Mapping[str, Look], judges: Sequence[str], legend: alt.Legend | None = None
) -> tuple[alt.Color, alt.Shape]:
    """Return the colour of each judge, and the shape that repeats what it says."""
    order = list(dict.fromkeys(judges))
    return (
        alt.Color("judge_id:N", legend=legend, sort=order).scale(
            domain=order, range=[looks[one].colour for one in order]
        ),
        alt.Shape("judge_id:N", legend=legend, sort=order).scale(
            domain=order, range=[looks[one].shape for one in order]
        ),
    )


def legend_above(names: Sequence[str], *, narrow: bool = False) -> alt.Legend | None:
    """Return a legend above the plot; beside it, it would take its room. None for one name.

    Args:
        names: What is told apart; long ones need several lines.
        narrow: Whether the chart has half of the page.
    """
    shown = set(names)
    if len(shown) < 2:
        return None
    letters = LEGEND_LETTERS // 2 if narrow else LEGEND_LETTERS
    across = max(1, letters // (4 + max(len(one) for one in shown)))
    return alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH, columns=across)


def people_band(
    people: Mapping[str, Any], scale: alt.Scale, axis: str, name: str = "people"
) -> list[alt.Chart]:
    """Return the grey band of people, with its value above the plot.

    Args:
        people: `value`, `low`, `high`.
        scale: Of the horizontal axis.
        axis: Its title.
        name: Who they are.
    """
    data = alt.Chart(pd.DataFrame([dict(people)]))
    value = alt.X("value:Q", title=axis, scale=scale)
    band = (
        []
        if is_missing(people["low"])
        else [
            data.mark_rect(color=GREY, opacity=_BAND_OPACITY).encode(
                x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
            )
        ]
    )
    return [
        *band,
        data.mark_rule(color=GREY, strokeWidth=2).encode(x=value),
        data.mark_text(color=GREY, dy=-8, baseline="bottom", fontSize=12).encode(
            x=value, y=alt.value(0), text=alt.value(f"{name} {number(people['value'])}")
        ),
    ]


def distribution(
    shares: pd.DataFrame, looks: Mapping[str, Look], judge_id: str, *, top: float
) -> alt.LayerChart:
    """Draw how often a judge gave each score, beside people.

    Args:
        shares: Columns `judge_id` (the judge's and `human`), `score_label`, `share`,
            `share_low`, `share_high` and `hover`. In the order of the scores.
        looks: How each judge is drawn.
        judge_id: Whose panel it is.
        top: Upper end of the axis, the same in every panel.
    """
    order = list(dict.fromkeys(shares["score_label"]))
    across = {
        "x": alt.X("score_label:N", sort=order, title="score given").axis(
            labelAngle=0, labelOverlap=False
        ),
        "xOffset": alt.XOffset("judge_id:N", sort=[HUMAN, judge_id]),
    }
    up = alt.Scale(domain=[0, top])
    look = _by_judge(looks, [HUMAN, judge_id])
    axis = alt.Axis(format=".0%", tickCount=5)
    base = alt.Chart(shares).encode(**across)
    return alt.layer(
        base.mark_rule(strokeWidth=2.5).encode(
            y=alt.Y("share_low:Q", title="share of answers", scale=up, axis=axis),
            y2="share_high:Q",
            color=look["color"],
        ),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            y=alt.Y("share:Q", title="share of answers", scale=up, axis=axis),
            tooltip=[alt.Tooltip("hover:N", title="share")],
            **look,
        ),
    ).properties(height=150, autosize=FIT)


def sources(
    means: pd.DataFrame,
    looks: Mapping[str, Look],
    judge_id: str,
    *,
    scale: tuple[float, float],
) -> alt.LayerChart:
    """Draw the mean score of each source, a judge's beside people's.

    Args:
        means: Columns `judge_id`, `source`, `mean_score`, `mean_score_low`, `mean_score_high`
            and `hover`. In the order in which people rank the sources.
        looks: How each judge is drawn.
        judge_id: Whose panel it is.
        scale: Lowest and highest score.
    """
    order = list(dict.fromkeys(means["source"]))
    rows = {
        "y": alt.Y("source:N", sort=order, title=None).axis(
            labelLimit=SOURCE_LABEL_WIDTH, labelOverlap=False, grid=True
        ),
        "yOffset": alt.YOffset("judge_id:N", sort=[HUMAN, judge_id]),
    }
    name = f"mean score, {scale[0]:g} worst to {scale[1]:g} best"
    along = alt.Scale(domain=list(scale))
    points = alt.Axis(**whole_ticks(range(int(scale[0]), int(scale[1]) + 1)))
    look = _by_judge(looks, [HUMAN, judge_id])
    base = alt.Chart(means).encode(**rows)
    return alt.layer(
        base.mark_rule(strokeWidth=2.5).encode(
            x=alt.X("mean_score_low:Q", title=name, scale=along, axis=points),
            x2="mean_score_high:Q",
            color=look["color"],
        ),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=alt.X("mean_score:Q", title=name, scale=along, axis=points),
            tooltip=["source:N", alt.Tooltip("hover:N", title="mean score")],
            **look,
        ),
    ).properties(height=30 * len(order), autosize=FIT)


def source_shifts(shifts: pd.DataFrame, look: Look, *, furthest: float) -> alt.LayerChart:
    """Draw how much lower or higher than people a judge scores each source.

    Args:
        shifts: Columns `source`, `shift`, `shift_low`, `shift_high` and `hover`. In order.
        look: How the judge is drawn.
        furthest: Both ends of the axis, the same in every panel.
    """
    name = "shift in points (below 0 = harsher than people)"
    along = alt.Scale(domain=[-furthest, furthest])
    base = alt.Chart(shifts).encode(
        y=alt.Y("source:N", sort=list(shifts["source"]), title=None).axis(
            labelLimit=SOURCE_LABEL_WIDTH, labelOverlap=False, grid=True
        )
    )
    return alt.layer(
        dashed(0.0, x=alt.X("shift:Q", title=name, scale=along), name="shift"),
        base.mark_rule(strokeWidth=2.5, color=look.colour).encode(
            x=alt.X("shift_low:Q", title=name, scale=along), x2="shift_high:Q"
        ),
        base.mark_point(
            filled=True, size=80, opacity=1, color=look.colour, shape=look.shape
        ).encode(
            x=alt.X("shift:Q", title=name, scale=along),
            tooltip=["source:N", alt.Tooltip("hover:N", title="shift")],
        ),
    ).properties(height=26 * len(shifts), autosize=FIT)


def ratings(people: pd.DataFrame, *, scale: tuple[float, float]) -> alt.Chart:
    """Draw every human score of one speech as a dot.

    Args:
        people: Columns `value`, `place` (stacks equal scores) and `annotator_id`.
        scale: Lowest and highest score.
    """
    highest = max([int(one) for one in people["place"]], default=1)
    along = alt.Scale(domain=[scale[0] - 0.5, scale[1] + 0.5], nice=False)
    ticks = alt.Axis(**whole_ticks(range(int(scale[0]), int(scale[1]) + 1)), grid=False)
    up = alt.Scale(domain=[0, highest + 0.5], nice=False)
    return (
        alt.Chart(people)
        .mark_point(filled=True, size=POINT_SIZE, opacity=0.9, color=GREY)
        .encode(
            x=alt.X("value:Q", title="score, one dot per person", scale=along, axis=ticks),
            y=alt.Y("place:Q", title="people", scale=up).axis(tickMinStep=1, format="d"),
            tooltip=[alt.Tooltip("annotator_id:N", title="person"), alt.Tooltip("value:Q")],
        )
        .properties(height=max(90, 18 * highest), autosize=FIT)
    )


def shaded_table(base: alt.Chart, title: str, *, height: int) -> alt.LayerChart:
    """Draw a table of shares, its cells shaded and with their figures in them.

    Args:
        base: Where the cells are, with columns `share` (percent), `text` and `hover`.
        title: Whose table it is.
        height: Of the cells, in pixels.
    """
    return alt.layer(
        base.mark_rect(stroke=GREY, strokeWidth=0.5).encode(
            color=alt.Color("share:Q", legend=None).scale(
                domain=[0, 100], range=["#F7FBFF", "#08519C"]
            ),
            tooltip=[alt.Tooltip("hover:N", title="share")],
        ),
        base.mark_text(fontSize=12, lineBreak="\n").encode(
            text="text:N",
            color=alt.condition(alt.datum.share > 55, alt.value("white"), alt.value("#10243A")),
        ),
    ).properties(
        title=alt.TitleParams(title, anchor="start", fontSize=12, limit=320),
        height=height,
        autosize=FIT,
    )


def warning(unparsed_share: Any) -> str:
    """Return the mark that stands before a judge whose unreadable share is over the limit."""
    over = not is_missing(unparsed_share) and float(unparsed_share) > UNPARSED_LIMIT
    return "⚠ " if over else ""
