"""Charts of debate as oversight: ratings, accuracy against rating, calibration, belief by round.

Frames come with the columns named in each function; text in them is drawn as plain text. Shares
and probabilities come as percent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import pandas as pd

from dashboard.core.charts import (
    FIT,
    POINT_SIZE,
    ROW_HEIGHT,
    by_judge,
    chart_heading,
    labelled,
    legend_above,
    whole_ticks,
)
from dashboard.core.colours import COLOURS, GREY, SHAPES, Look
from dashboard.core.labels import number, plural
from dashboard.core.naming import span

_LINE = 15
_PERCENT = alt.Scale(domain=[0, 100], nice=False)
_DASHES = ([1, 0], [8, 4], [2, 3], [10, 3, 2, 3])
_EVEN = pd.DataFrame({"value": [50.0]})


def _dashed(data: pd.DataFrame, **places: Any) -> alt.Chart:
    return (
        alt.Chart(data).mark_rule(color=GREY, strokeDash=[4, 4], strokeWidth=1.5).encode(**places)
    )


def accuracy(
    rows: pd.DataFrame,
    look: Look,
    lines: Sequence[tuple[str, float]],
    *,
    title: str,
    note: str,
) -> alt.LayerChart:
    """Draw one row per protocol of one judge, beside its own floor and ceiling.

    Args:
        rows: Columns `label` (a line break starts a second line), `kind` (what each point is),
            `value`, `low`, `high` (percent) and `hover`. In order.
        look: How the judge is drawn.
        lines: Name and value (percent) of each dashed line: guessing, naive, expert.
        title: What to conclude.
        note: A second line under the title.
    """
    name = "judgements right, % (higher = better)"
    along = alt.X("value:Q", title=name, scale=_PERCENT).axis(tickCount=10)
    layers = []
    for at, (text, value) in enumerate(sorted(lines, key=lambda line: line[1])):
        one = pd.DataFrame({"value": [value], "text": [f"{text} {value:.3g}"]})
        layers.append(_dashed(one, x=along))
        # Lines may lie close together: each next name stands a line higher.
        layers.append(
            alt.Chart(one)
            .mark_text(color=GREY, baseline="bottom", fontSize=12)
            .encode(x=along, y=alt.value(-8 - _LINE * at), text="text:N")
        )
    kinds = list(dict.fromkeys(rows["kind"]))
    shape = alt.Shape("kind:N", sort=kinds, legend=legend_above(kinds)).scale(
        domain=kinds, range=[look.shape, "triangle-right", "triangle-left"][: len(kinds)]
    )
    base = alt.Chart(rows).encode(
        y=labelled(list(dict.fromkeys(rows["label"]))),
        yOffset=alt.YOffset("kind:N", sort=kinds),
    )
    layers += [
        base.mark_rule(strokeWidth=2.5, color=look.colour).encode(
            x=alt.X("low:Q", title=name, scale=_PERCENT), x2="high:Q"
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1, color=look.colour).encode(
            x=along, shape=shape, tooltip=[alt.Tooltip("hover:N", title="right")]
        ),
    ]
    heading = chart_heading(title, note)
    heading.offset = 14 + _LINE * max(0, len(lines) - 1)
    height = ROW_HEIGHT * len(set(rows["label"]))
    return alt.layer(*layers).properties(title=heading, height=height, autosize=FIT)


def votes(rows: pd.DataFrame, *, title: str, note: str) -> alt.LayerChart:
    """Draw how often a vote of k judges is right, a line per way of asking.

    Args:
        rows: Columns `line`, `k`, `value`, `low`, `high` (percent) and `hover`.
        title: What to conclude.
        note: A second line under the title.
    """
    name = "votes right, % (higher = better)"
    lines = list(dict.fromkeys(rows["line"]))
    up = alt.Y("value:Q", title=name, scale=_PERCENT)
    colour = alt.Color("line:N", sort=lines, legend=legend_above(lines)).scale(
        domain=lines, range=list(COLOURS)
    )
    base = alt.Chart(rows).encode(
        x=alt.X("k:O", title="judges who vote").axis(labelAngle=0),
        xOffset=alt.XOffset("line:N", sort=lines),
        color=colour,
    )
    return alt.layer(
        _dashed(_EVEN, y=alt.Y("value:Q", title=name, scale=_PERCENT)),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(
            y=alt.Y("low:Q", title=name, scale=_PERCENT), y2="high:Q"
        ),
        base.mark_line(strokeWidth=1.5).encode(y=up),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            y=up,
            shape=alt.Shape("line:N", sort=lines, legend=legend_above(lines)).scale(
                domain=lines, range=list(SHAPES)
            ),
            tooltip=[alt.Tooltip("hover:N", title="vote")],
        ),
    ).properties(title=chart_heading(title, note), height=300, autosize=FIT)


def ladder(
    rows: pd.DataFrame, looks: Mapping[str, Look], mean: float, *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw one row per debater: its rating with interval, beside the mean of the field.

    Args:
        rows: Columns `label` (a line break starts a second line), `judge_id` (the debater),
            `value`, `low`, `high` and `hover`. In order.
        looks: How each debater is drawn.
        mean: What the ratings are anchored at; the dashed line.
        axis: What the value is, with its direction.
        title: What to conclude.
        note: A second line under the title.
    """
    along = alt.Scale(zero=False, nice=True)
    value = alt.X("value:Q", title=axis, scale=along).axis(tickCount=8, format="d")
    colour, shape = by_judge(looks, list(rows["judge_id"]))
    base = alt.Chart(rows).encode(y=labelled(list(rows["label"])))
    return alt.layer(
        _dashed(pd.DataFrame({"value": [mean]}), x=value),
        base.mark_rule(strokeWidth=3).encode(
            x=alt.X("low:Q", title=axis, scale=along), x2="high:Q", color=colour
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1).encode(
            x=value, color=colour, shape=shape, tooltip=[alt.Tooltip("hover:N", title="rating")]
        ),
    ).properties(title=chart_heading(title, note), height=ROW_HEIGHT * len(rows), autosize=FIT)


def against_rating(
    points: pd.DataFrame, line: pd.DataFrame, looks: Mapping[str, Look], *, title: str, note: str
) -> alt.LayerChart:
    """Draw the accuracy of judges who heard a debater against that debater's rating.

    Args:
        points: Columns `judge_id` (the debater), `rating`, `rating_low`, `rating_high`,
            `accuracy`, `accuracy_low`, `accuracy_high` (percent) and `hover`.
        line: Columns `rating` and `accuracy` (percent): the two ends of the fitted line; empty
            where none is known.
        looks: How each debater is drawn.
        title: What to conclude.
        note: A second line under the title.
    """
    across_name = "rating of the debater, from other questions (right = more persuasive)"
    up_name = "judges right, % (higher = better)"
    scale = alt.Scale(zero=False, nice=True)
    across = alt.X("rating:Q", title=across_name, scale=scale).axis(format="d")
    up = alt.Y("accuracy:Q", title=up_name, scale=_PERCENT)
    names = list(points["judge_id"])
    colour, shape = by_judge(looks, names, legend_above(names))
    base = alt.Chart(points)
    layers = [
        _dashed(_EVEN, y=alt.Y("value:Q", title=up_name, scale=_PERCENT)),
        base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
            x=alt.X("rating_low:Q", title=across_name, scale=scale),
            x2="rating_high:Q",
            y=up,
            color=colour,
        ),
        base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(
            x=across,
            y=alt.Y("accuracy_low:Q", title=up_name, scale=_PERCENT),
            y2="accuracy_high:Q",
            color=colour,
        ),
        base.mark_point(filled=True, size=POINT_SIZE, opacity=1).encode(
            x=across,
            y=up,
            color=colour,
            shape=shape,
            tooltip=[alt.Tooltip("hover:N", title="debater")],
        ),
    ]
    if len(line):
        layers.append(alt.Chart(line).mark_line(color=GREY, strokeWidth=2).encode(x=across, y=up))
    return alt.layer(*layers).properties(title=chart_heading(title, note), height=340, autosize=FIT)


def reliability(
    bins: pd.DataFrame, look: Look, *, title: Sequence[str], note: str
) -> alt.LayerChart:
    """Draw how often an event came true against how probable the judge held it, in bins.

    Args:
        bins: Columns `forecast`, `observed`, `observed_low`, `observed_high` (percent), `n` and
            `hover`.
        look: How the judge is drawn.
        title: Which judge, and asked how: a line each.
        note: A line under the title.
    """
    across = alt.X(
        "forecast:Q",
        title="probability stated for the likelier answer, %",
        scale=alt.Scale(domain=[50, 100], nice=False),
    )
    name = "was right, %"
    up = alt.Y("observed:Q", title=name, scale=_PERCENT)
    ends = pd.DataFrame({"forecast": [50.0, 100.0], "observed": [50.0, 100.0]})
    base = alt.Chart(bins).encode(x=across)
    return alt.layer(
        alt.Chart(ends)
        .mark_line(color=GREY, strokeDash=[4, 4], strokeWidth=1.5)
        .encode(x=across, y=up),
        base.mark_rule(strokeWidth=2, opacity=0.6, color=look.colour).encode(
            y=alt.Y("observed_low:Q", title=name, scale=_PERCENT), y2="observed_high:Q"
        ),
        base.mark_point(filled=True, color=look.colour, shape=look.shape, opacity=1).encode(
            y=up,
            size=alt.Size("n:Q", legend=None).scale(range=[40, 240], domainMin=1),
            tooltip=[alt.Tooltip("hover:N", title="bin")],
        ),
        # Beside the point: above and below it stands its interval.
        base.mark_text(color=GREY, fontSize=11, align="right", dx=-9).encode(
            y=up, text=alt.Text("n:Q")
        ),
    ).properties(
        title=alt.TitleParams(
            list(title), subtitle=note, subtitleColor=GREY, anchor="start", fontSize=12, limit=360
        ),
        height=260,
        autosize=FIT,
    )


def beliefs(
    rows: pd.DataFrame, looks: Mapping[str, Look], *, axis: str, title: str, note: str
) -> alt.LayerChart:
    """Draw what judges believe after each round, a line per judge and protocol.

    Args:
        rows: Columns `judge_id`, `line` (what belongs together), `protocol`, `step`, `value`,
            `low`, `high` (percent) and `hover`.
        looks: How each judge is drawn.
        axis: What is believed, with its direction.
        title: What to conclude.
        note: A second line under the title.
    """
    judges, protocols = list(rows["judge_id"]), list(dict.fromkeys(rows["protocol"]))
    colour, shape = by_judge(looks, judges, legend_above(judges))
    is_alone = len(set(judges)) == 1
    if is_alone:
        # Colour and shape, free of telling judges apart, tell protocols apart.
        colour, shape = _by_protocol(protocols)
    steps = sorted({int(one) for one in rows["step"]})
    across = alt.X("step:Q", title="rounds read").axis(**whole_ticks(steps))
    up = alt.Y("value:Q", title=axis, scale=_PERCENT)
    base = alt.Chart(rows).encode(x=across, detail="line:N")
    dashes = alt.StrokeDash(
        "protocol:N", sort=protocols, legend=None if is_alone else legend_above(protocols)
    ).scale(
        domain=protocols,
        range=[_DASHES[0 if is_alone else at % len(_DASHES)] for at in range(len(protocols))],
    )
    return alt.layer(
        _dashed(_EVEN, y=alt.Y("value:Q", title=axis, scale=_PERCENT)),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(
            y=alt.Y("low:Q", title=axis, scale=_PERCENT), y2="high:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.5).encode(y=up, color=colour, strokeDash=dashes),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            y=up, color=colour, shape=shape, tooltip=[alt.Tooltip("hover:N", title="belief")]
        ),
    ).properties(title=chart_heading(title, note), height=320, autosize=FIT)


def _by_protocol(protocols: Sequence[str]) -> tuple[alt.Color, alt.Shape]:
    legend, turns = legend_above(protocols), range(len(protocols))
    colours = [COLOURS[at % len(COLOURS)] for at in turns]
    shapes = [SHAPES[(at + at // len(SHAPES)) % len(SHAPES)] for at in turns]
    return (
        alt.Color("protocol:N", sort=protocols, legend=legend).scale(
            domain=protocols, range=colours
        ),
        alt.Shape("protocol:N", sort=protocols, legend=legend).scale(
            domain=protocols, range=shapes
        ),
    )


def _last_belief(points: pd.DataFrame) -> str:
    last = int(points["step"].max())
    values = points.loc[points["step"] == last, "value"]
    return f"Belief after {plural(last, 'round')}: {span(values, number)}\u00a0%"


def belief(
    points: pd.DataFrame, looks: Mapping[str, Look], *, axis: str, note: str
) -> alt.LayerChart:
    """Draw how judges' belief in answer 0 moved over one transcript.

    Args:
        points: Columns `judge_id`, `line` (a judge and an order of answers), `order` (which
            answer was shown first), `step` (rounds read), `value` (percent) and `hover`.
        looks: How each judge is drawn.
        axis: What is believed.
        note: What to know of it.
    """
    judges, orders = list(points["judge_id"]), list(dict.fromkeys(points["order"]))
    colour, shape = by_judge(looks, judges, legend_above(judges, narrow=True))
    steps = sorted({int(one) for one in points["step"]})
    up = alt.Y("value:Q", title=axis, scale=_PERCENT)
    base = alt.Chart(points).encode(
        x=alt.X("step:Q", title="rounds read").axis(**whole_ticks(steps)),
        y=up,
    )
    # Below the plot: beside the judges' legend, above it, it would be cut.
    legend = legend_above(orders, narrow=True)
    below = legend if legend is None else alt.Legend(title=None, orient="bottom", columns=1)
    dashes = alt.StrokeDash("order:N", sort=orders, legend=below).scale(
        domain=orders, range=[[1, 0], [6, 4], [2, 3]][: len(orders)]
    )
    # Where nobody was asked twice there is no line: a point says its order, too.
    filled = alt.FillOpacity("order:N", sort=orders, legend=below).scale(
        domain=orders, range=[1.0, 0.0, 0.4][: len(orders)]
    )
    return alt.layer(
        _dashed(_EVEN, y=alt.Y("value:Q", title=axis, scale=_PERCENT)),
        base.mark_line(strokeWidth=1.5).encode(detail="line:N", color=colour, strokeDash=dashes),
        base.mark_point(size=80, opacity=1).encode(
            color=colour,
            fill=colour,
            fillOpacity=filled,
            shape=shape,
            tooltip=[alt.Tooltip("hover:N", title="belief")],
        ),
    ).properties(
        title=alt.TitleParams(
            _last_belief(points), subtitle=note, subtitleColor=GREY, anchor="start"
        ),
        height=220,
        autosize=FIT,
    )
