"""Charts of scores of speeches: distributions, sources, single ratings, crowds and sizes.

Frames come with the columns named in each function; text in them is drawn as plain text.

Charts take `title` (what to conclude), `note` (a line under it), `axis` (what the value is, with
its direction), `looks` (how each judge is drawn) and `tooltips` (columns to repeat on hover).
"""

import math
from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    POINT_SIZE,
    SOURCE_LABEL_WIDTH,
    Measure,
    dashed,
    points,
    spread,
    titled,
    whole_ticks,
)
from dashboard.core.labels import HUMAN
from dashboard.core.series import GREY, LABEL_WIDTH, Look, Told, by_judge
from dashboard.core.spots import Plot, label_spots, names_beside

_WORTH_HEIGHT = 360


def _source(order: Sequence[str]) -> alt.Y:
    return alt.Y("source:N", sort=list(order), title=None).axis(
        labelLimit=SOURCE_LABEL_WIDTH, labelOverlap=False, grid=True
    )


def _panel(
    base: alt.Chart, measure: Measure, told: Told, height: int, hover: str, beside: str = ""
) -> alt.LayerChart:
    """Draw estimates with their intervals in one panel of several, which has no title."""
    front = points(base, measure, told, hover, size=80, beside=beside)
    return alt.layer(spread(base, measure, told[0]), front, height=height, autosize=FIT)


def distribution(
    shares: pd.DataFrame, looks: Mapping[str, Look], judge_id: str, *, top: float
) -> alt.LayerChart:
    """Draw how often a judge gave each score, beside people.

    `shares` has columns `judge_id` (the judge's and `human`), `score_label`, `share`, `share_low`,
    `share_high` and `hover`. In the order of the scores.
    `judge_id`: whose panel it is.
    `top`: upper end of the axis, the same in every panel.
    """
    order = list(dict.fromkeys(shares["score_label"]))
    base = alt.Chart(shares).encode(
        x=alt.X("score_label:N", sort=order, title="score given").axis(
            labelAngle=0, labelOverlap=False
        ),
        xOffset=alt.XOffset("judge_id:N", sort=[HUMAN, judge_id]),
    )
    share = Measure(
        "share of answers",
        alt.Scale(domain=[0, top]),
        {"format": ".0%", "tickCount": 5},
        "y",
        *("share", "share_low", "share_high"),
    )
    return _panel(base, share, by_judge(looks, [HUMAN, judge_id]), 150, "share")


def sources(
    means: pd.DataFrame,
    looks: Mapping[str, Look],
    judge_id: str,
    *,
    scale: tuple[float, float],
) -> alt.LayerChart:
    """Draw the mean score of each source, a judge's beside people's.

    `means` has columns `judge_id`, `source`, `mean_score`, `mean_score_low`, `mean_score_high` and
    `hover`. In the order in which people rank the sources.
    `judge_id`: whose panel it is.
    `scale`: lowest and highest score.
    """
    order = list(dict.fromkeys(means["source"]))
    base = alt.Chart(means).encode(
        y=_source(order), yOffset=alt.YOffset("judge_id:N", sort=[HUMAN, judge_id])
    )
    score = Measure(
        f"mean score, {scale[0]:g} worst to {scale[1]:g} best",
        alt.Scale(domain=list(scale)),
        whole_ticks(range(int(scale[0]), int(scale[1]) + 1)),
        "x",
        *("mean_score", "mean_score_low", "mean_score_high"),
    )
    told = by_judge(looks, [HUMAN, judge_id])
    return _panel(base, score, told, 30 * len(order), "mean score", "source")


def source_shifts(shifts: pd.DataFrame, look: Look, *, furthest: float) -> alt.LayerChart:
    """Draw how much lower or higher than people a judge scores each source.

    `shifts` has columns `source`, `value`, `low`, `high` and `hover`. In order.
    `furthest`: both ends of the axis, the same in every panel.
    """
    name = "shift in points (below 0 = harsher than people)"
    shift = Measure(name, alt.Scale(domain=[-furthest, furthest]))
    base = alt.Chart(shifts).encode(y=_source(shifts["source"]))
    drawn = _panel(base, shift, look, 26 * len(shifts), "shift", "source")
    drawn.layer.insert(0, dashed(0.0, x=shift.at()))
    return drawn


def ratings(people: pd.DataFrame, *, scale: tuple[float, float]) -> alt.Chart:
    """Draw every human score of one speech as a dot.

    Args:
        people: Columns `value`, `place` (stacks equal scores) and `annotator_id`.
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


def worth(
    curve: pd.DataFrame,
    judges: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw agreement by number of people, with every judge where it stands on that curve.

    `curve` has columns `k`, `value`, `low`, `high`, `is_extrapolated` and `hover`, in order.
    `judges` has columns `judge_id`, `k`, `value`, `low`, `high` and `hover`; may be empty.
    """
    across = alt.X(
        "k:Q",
        title="people whose mean score is taken (left of 1: less than one person)",
        scale=alt.Scale(domain=[0, float(curve["k"].max()) + 1], nice=False),
    ).axis(tickMinStep=1, format="d", grid=False)
    r = Measure("Pearson's r with the mean of eight others (higher = better)", way="y")
    measured = curve[~curve["is_extrapolated"]]
    # The dashed line starts where the measured one ends.
    beyond = curve[curve["k"] >= measured["k"].max()]
    whole, sure, guessed = (alt.Chart(one).encode(x=across) for one in (curve, measured, beyond))
    layers = [
        whole.mark_area(color=GREY, opacity=0.18).encode(y=r.of("low"), y2=alt.Y2("high:Q")),
        sure.mark_line(color=GREY, strokeWidth=2).encode(y=r.at()),
        guessed.mark_line(color=GREY, strokeWidth=2, strokeDash=[4, 4]).encode(y=r.at()),
        points(sure, r, Look(GREY, "circle"), "people", size=50),
    ]
    if len(judges):
        told = by_judge(looks, list(judges["judge_id"]))
        base = alt.Chart(judges).encode(x=across)
        spots = _beside_the_curve(curve, judges)
        layers += [
            spread(base, r, told[0], width=2),
            points(base, r, told, "judge"),
            *names_beside(judges, across, r.at(), "judge_id", spots),
        ]
    return titled(layers, title, note, _WORTH_HEIGHT)


def _beside_the_curve(curve: pd.DataFrame, judges: pd.DataFrame) -> list[int]:
    """Return where names stand so that they cover neither the curve nor an interval."""
    drawn = pd.concat([curve, judges])[["low", "value", "high"]]
    low, high = float(drawn.min().min()), float(drawn.max().max())
    intervals = [
        [(row.k, row.low), (row.k, row.high)]
        for row in judges.dropna(subset=["low", "high"]).itertuples()
    ]
    plot = Plot(
        (0.0, float(curve["k"].max()) + 1),
        (min(0.0, math.floor(low * 5) / 5), math.ceil(high * 5) / 5),
        _WORTH_HEIGHT,
        [
            *(list(zip(curve["k"], curve[name], strict=True)) for name in ("low", "value", "high")),
            *intervals,
        ],
    )
    return label_spots(judges["judge_id"], judges["k"], judges["value"], plot=plot)


def trend(
    judges: pd.DataFrame,
    lines: pd.DataFrame,
    looks: Mapping[str, Look],
    *,
    axis: str,
    title: str,
    note: str,
    turning: Mapping[str, float] | None,
) -> alt.LayerChart:
    """Draw one family's judges by size, with the line through them and where it turns.

    `judges` has columns `judge_id`, `name` (beside the point), `size` in billions, `value`, `low`,
    `high` and `hover`.
    `lines` has columns `line` (straight, or bent for the two that meet), `size` and `value`.
    `turning`: `size`, `low` and `high` of a turning point to draw.
    """
    sizes = sorted(set(judges["size"]))
    size = Measure(
        "size, billions of parameters (log scale)",
        alt.Scale(type="log", base=2, domain=[sizes[0] / 1.5, sizes[-1] * 1.9], nice=False),
        {"values": sizes, "format": "~g", "labelOverlap": True},
        name="size",
    )
    agreed = Measure(axis, way="y")
    told = by_judge(looks, sorted(set(judges["judge_id"])))
    layers: list[alt.Chart] = []
    if turning:
        place = alt.Chart(pd.DataFrame([dict(turning)]))
        layers += [
            place.mark_rect(color=GREY, opacity=0.18).encode(x=size.of("low"), x2=alt.X2("high:Q")),
            place.mark_rule(color=GREY, strokeWidth=1.5).encode(x=size.at()),
        ]
    layers += [
        alt.Chart(lines[lines["line"] == line])
        .mark_line(color=GREY, strokeWidth=width, strokeDash=dash)
        .encode(x=size.at(), y=agreed.at())
        for line, width, dash in (("straight", 2, [6, 4]), ("bent", 2.5, [1, 0]))
        if (lines["line"] == line).any()
    ]
    base = alt.Chart(judges).encode(x=size.at())
    beside = base.mark_text(align="left", dx=9, dy=-9, fontSize=12, color=GREY, limit=LABEL_WIDTH)
    layers += [
        spread(base, agreed, told[0]),
        points(base, agreed, told, "agreement", beside="judge_id"),
        beside.encode(y=agreed.at(), text=alt.Text("name:N")),
    ]
    return titled(layers, title, note, 320)
