"""From a frame to a chart. Points with intervals, people as a grey band, chance as a dashed line.

A chart is made of parts: a measure (one axis), what tells rows apart (colour and shape), layers
behind, and either rows of dots (`dots`) or a curve (`curve`). Frames come with the columns named in
each function; text in them is drawn as plain text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import altair as alt
import pandas as pd

from dashboard.core.findings import Row
from dashboard.core.labels import UNPARSED_LIMIT, is_missing, number, scaled
from dashboard.core.series import (
    GREY,
    LABEL_WIDTH,
    LINE,
    Look,
    Told,
    by_judge,
    height_of_row,
    labelled,
    told_apart,
)
from dashboard.core.vega import TICKS

JUDGES_DRAWN = 30
SOURCE_LABEL_WIDTH = 220
POINT_SIZE = 110
# As wide as the page, but with a plot as high as asked for, whatever title and axes need.
FIT = alt.AutoSizeParams(type="fit-x", contains="padding")
KIND_COLOURS, KIND_SHAPES = ("#0072B2", GREY), ("circle", "square")
FITTED, PERCENT = alt.Scale(zero=True, nice=True), alt.Scale(domain=[0, 100], nice=False)
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
        by: What they are multiplied by: 100 turns shares into percent.
    """
    names = {"value": column, "low": f"{column}_low", "high": f"{column}_high"}
    return {name: scaled(row[one], by) for name, one in names.items()}


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


# Few and round: Vega takes the nearest number of round ones.


class Measure(NamedTuple):
    """The axis that an estimate and the ends of its interval share.

    Attributes:
        title: What the value is, with unit and direction.
        scale: Where the axis begins and ends.
        ticks: Settings of the axis, which the estimate brings.
        way: `x` for rows of dots, `y` for a curve.
        name: The column of the estimate.
        low: The column of the interval's lower end.
        high: The column of its upper end.
    """

    title: str
    scale: alt.Scale = FITTED
    ticks: Mapping[str, Any] | None = None
    way: str = "x"
    name: str = "value"
    low: str = "low"
    high: str = "high"

    def of(self, column: str, **settings: alt.Axis) -> alt.X | alt.Y:
        """Return the axis with another column on it."""
        channel = alt.X if self.way == "x" else alt.Y
        return channel(f"{column}:Q", title=self.title, scale=self.scale, **settings)

    def at(self) -> alt.X | alt.Y:
        """Return the axis with the estimate on it."""
        ticks = {"tickCount": TICKS, **(self.ticks or {})}
        return self.of(self.name, axis=alt.Axis(**ticks))


def _look(one: Any, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a colour or shape as a setting of a mark, or as a channel."""
    return ({name: one}, {}) if isinstance(one, str) else ({}, {name: one})


def hovered(hover: str | Sequence[str], *, beside: str = "") -> list[alt.Tooltip]:
    """Return the columns to repeat on hover, or what the column `hover` is called there."""
    if not isinstance(hover, str):
        return [alt.Tooltip(f"{name}:N") for name in hover]
    first = [alt.Tooltip(f"{beside}:N")] if beside else []
    return [*first, alt.Tooltip("hover:N", title=hover)]


def spread(
    base: alt.Chart,
    measure: Measure,
    colour: Any,
    *,
    width: float = 2.5,
    faint: float | None = None,
) -> alt.Chart:
    """Return the lines of intervals."""
    mark, channel = _look(colour, "color")
    mark |= {} if faint is None else {"opacity": faint}
    end = alt.X2 if measure.way == "x" else alt.Y2
    ends = {measure.way: measure.of(measure.low), f"{measure.way}2": end(f"{measure.high}:Q")}
    return base.mark_rule(strokeWidth=width, **mark).encode(**ends, **channel)


def points(
    base: alt.Chart,
    measure: Measure,
    told: Told,
    hover: str | Sequence[str],
    *,
    size: float | None = POINT_SIZE,
    beside: str = "",
) -> alt.Chart:
    """Return the points of estimates; on hover a column may stand beside the estimate."""
    (mark, colour), (shaped, shape) = _look(told[0], "color"), _look(told[1], "shape")
    sized = {} if size is None else {"size": size}
    return base.mark_point(filled=True, opacity=1, **sized, **mark, **shaped).encode(
        **{measure.way: measure.at()}, **colour, **shape, tooltip=hovered(hover, beside=beside)
    )


def titled(
    layers: Sequence[alt.Chart], title: str, note: str, height: float, *, above: int = 0
) -> alt.LayerChart:
    """Return layers as one chart.

    Args:
        layers: From the back to the front.
        above: How many lines of names stand above the plot beside the first.
    """
    heading = chart_heading(title, note)
    if above:
        heading.offset = 14 + LINE * above
    return alt.layer(*layers, title=heading, height=height, autosize=FIT)


def small_title(text: str) -> alt.TitleParams:
    """Return the title of one panel of several."""
    return alt.TitleParams(text, anchor="start", fontSize=12, limit=320)


def dots(
    rows: pd.DataFrame,
    measure: Measure,
    told: Told,
    *,
    title: str,
    note: str,
    row_height: float | None = None,
    behind: Sequence[alt.Chart] = (),
    lanes: alt.YOffset | None = None,
    hover: str | Sequence[str] = "value",
    width: float = 2.5,
    size: float = POINT_SIZE,
    beside: str = "",
    above: int = 0,
) -> alt.LayerChart:
    """Draw one row per label: its estimates with their intervals.

    Args:
        rows: Columns `label` (a line break starts another line) and those of the measure. In order.
        told: What tells rows apart.
        row_height: In pixels; else many rows share a screen.
        behind: What is drawn behind them, such as people and chance.
        lanes: What stands side by side in a row.
        hover: Columns to repeat on hover, or what the column `hover` is called there.
        width: Of the lines of intervals.
        size: Of the points.
        beside: A column that hover texts begin with.
        above: How many lines of names stand above the plot beside the first.
    """
    order = list(dict.fromkeys(rows["label"]))
    each = height_of_row(order) if row_height is None else row_height
    base = alt.Chart(rows).encode(y=labelled(order, each), **({"yOffset": lanes} if lanes else {}))
    front = [
        spread(base, measure, told[0], width=width),
        points(base, measure, told, hover, size=size, beside=beside),
    ]
    return titled([*behind, *front], title, note, each * len(order), above=above)


def curve(
    base: alt.Chart,
    measure: Measure,
    told: Told,
    *,
    title: str,
    note: str,
    height: float,
    hover: str,
    behind: Sequence[alt.Chart] = (),
    size: float = 80,
    faint: float = 0.6,
    **line: Any,
) -> alt.LayerChart:
    """Draw estimates along an axis, joined by a line, with their intervals.

    Args:
        base: The frame, with the axis they go along.
        measure: The axis they are read on; its way is `y`.
        told: What tells lines apart.
        hover: What the column `hover` is called.
        behind: What is drawn behind them.
        size: Of the points.
        faint: Opacity of the lines of intervals.
        line: More channels of the line.
    """
    mark, colour = _look(told[0], "color")
    joined = base.mark_line(strokeWidth=1.5, **mark).encode(y=measure.at(), **colour, **line)
    front = [
        spread(base, measure, told[0], width=2, faint=faint),
        joined,
        points(base, measure, told, hover, size=size),
    ]
    return titled([*behind, *front], title, note, height)


def agreement(
    judges: pd.DataFrame,
    people: Mapping[str, Any] | None,
    looks: Mapping[str, Look],
    *,
    axis: str,
    title: str,
    note: str,
    tooltips: str | Sequence[str],
    lines: Sequence[tuple[str, float]] | None = None,
    who: str = "people",
) -> alt.LayerChart:
    """Draw one row per judge: its value with interval, beside people and chance.

    Args:
        judges: Columns `label` (drawn beside the row; a line break starts a second line),
            `judge_id`, `value`, `low`, `high`, perhaps `nearest` and `farthest` (bounds when
            failures are counted at their best and worst) and the tooltip columns. In order.
        people: `value`, `low`, `high` of the human row.
        looks: How each judge is drawn.
        axis: What the value is, with its direction.
        title: What the chart shows, as a sentence.
        tooltips: Columns to repeat on hover, or what the column `hover` is called.
        lines: Name and value of each dashed line; one at zero where there are none.
        who: What people are called.
    """
    measure = Measure(axis)
    told = by_judge(looks, sorted(set(judges["judge_id"])))
    known = people is not None and not is_missing(people["value"])
    behind = people_band(people, measure, who) if people and known else []
    above = 0
    if lines is None:
        behind.append(dashed(0.0, x=measure.at()))
    else:
        above = max(0, len(lines) + int(bool(known)) - 1)
        behind += named_lines(lines, measure, first=int(bool(known)))
    if "farthest" in judges and judges["farthest"].notna().any():
        order = list(dict.fromkeys(judges["label"]))
        base = alt.Chart(judges).encode(y=labelled(order, height_of_row(order)))
        behind.append(
            base.mark_rule(strokeWidth=1.5, strokeDash=[2, 3]).encode(
                x=measure.of("farthest"), x2=alt.X2("nearest:Q"), color=told[0]
            )
        )
    return dots(
        judges,
        measure,
        told,
        title=title,
        note=note,
        behind=behind,
        hover=tooltips,
        width=3,
        above=above,
    )


def estimates(
    rows: pd.DataFrame,
    *,
    axis: str,
    title: str,
    note: str,
    top: float | None = None,
    kinds: Sequence[str] | None = None,
    is_said: bool = False,
) -> alt.LayerChart:
    """Draw one value with interval per row and kind, such as a judge's slope beside people's.

    Args:
        rows: Columns `label` (a line break starts another line), `which` (the kind), `value`,
            `low`, `high` and `hover`. In order.
        axis: What the value is, with unit and direction.
        top: Upper end of the axis, which then begins at 0; else the axis fits the values.
        kinds: The kinds, where each row is of one; else they stand side by side in a row.
        is_said: Whether the note says what kinds look like, in place of a legend.
    """
    which = list(kinds or dict.fromkeys(rows["which"]))
    has_legend = len(which) > 1 and not is_said
    legend = alt.Legend(title=None, orient="top", labelLimit=LABEL_WIDTH) if has_legend else None
    measure = Measure(
        axis,
        FITTED if top is None else alt.Scale(domain=[0, top]),
        {"tickCount": 6} if kinds else None,
    )
    return dots(
        rows,
        measure,
        told_apart("which", which, KIND_COLOURS, KIND_SHAPES, legend),
        title=title,
        note=note,
        behind=[dashed(0.0 if top is None else top / 2, x=measure.at())],
        lanes=None if kinds else alt.YOffset("which:N", sort=which),
        size=min(POINT_SIZE, 4 * height_of_row(list(dict.fromkeys(rows["label"])))),
    )


def named_lines(
    lines: Sequence[tuple[str, float]], measure: Measure, *, first: int = 0
) -> list[alt.Chart]:
    """Return dashed lines, such as guesses, with name and value above the plot.

    Args:
        lines: Name and value of each.
        first: How many names stand above the plot already.
    """
    layers = []
    # Lines may lie close together: each next name stands a line higher.
    for at, (name, value) in enumerate(sorted(lines, key=lambda line: line[1]), first):
        one = alt.Chart(pd.DataFrame({"value": [value], "text": [f"{name} {value:.3g}"]}))
        layers += [
            one.mark_rule(color=GREY, strokeDash=[4, 4], strokeWidth=1.5).encode(x=measure.at()),
            one.mark_text(color=GREY, baseline="bottom", fontSize=12).encode(
                x=measure.at(), y=alt.YValue(-8 - LINE * at), text=alt.Text("text:N")
            ),
        ]
    return layers


def people_band(people: Mapping[str, Any], measure: Measure, name: str) -> list[alt.Chart]:
    """Return the grey band of people, with its value above the plot.

    Args:
        people: `value`, `low`, `high`.
        name: Who they are.
    """
    data, value = alt.Chart(pd.DataFrame([dict(people)])), measure.of("value")
    band = data.mark_rect(color=GREY, opacity=_BAND_OPACITY)
    return [
        *(
            []
            if is_missing(people["low"])
            else [band.encode(x=measure.of("low"), x2=alt.X2("high:Q"))]
        ),
        data.mark_rule(color=GREY, strokeWidth=2).encode(x=value),
        data.mark_text(color=GREY, dy=-8, baseline="bottom", fontSize=12).encode(
            x=value, y=alt.YValue(0), text=alt.TextValue(f"{name} {number(people['value'])}")
        ),
    ]


def diagonal(name_across: str, name_up: str, ends: Sequence[float], **places: Any) -> alt.Chart:
    """Return the dashed line on which two quantities are the same."""
    line = pd.DataFrame({name_across: list(ends), name_up: list(ends)})
    return (
        alt.Chart(line).mark_line(color=GREY, strokeDash=[4, 4], strokeWidth=1.5).encode(**places)
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
            text=alt.Text("text:N"),
            color=alt.condition(alt.datum.share > 55, alt.value("white"), alt.value("#10243A")),
        ),
        title=small_title(title),
        height=height,
        autosize=FIT,
    )


def warning(unparsed_share: Any) -> str:
    """Return the mark that stands before a judge whose unreadable share is over the limit."""
    over = not is_missing(unparsed_share) and float(unparsed_share) > UNPARSED_LIMIT
    return "⚠ " if over else ""
