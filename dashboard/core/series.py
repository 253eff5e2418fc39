"""How the rows and lines of one chart are told apart: names beside them, headings, colour, shape.

A name stands beside what it names; colour says what a row means, and shape repeats it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import altair as alt
import pandas as pd

from dashboard.core.labels import HUMAN
from dashboard.core.narrow import LINES_OF_NAME, small_headings

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
# Reads on white and on black; used for people, chance lines and notes in charts.
GREY = "#808495"


class Look(NamedTuple):
    """How a judge is drawn."""

    colour: str
    shape: str


JUDGE, PERSON = Look(COLOURS[0], "circle"), Look(GREY, "diamond")


def looks(judge_ids: Iterable[str]) -> dict[str, Look]:
    """Return how each judge is drawn, and people beside them."""
    return {HUMAN: PERSON, **{one: JUDGE for one in judge_ids if one != HUMAN}}


# A name has no longest length; a longer one than this leaves the plot no room. Hover texts have it.
LABEL_WIDTH = 420
LEGEND_LETTERS = 70
LINE = 15
# Rows of a group stand closer than rows with two lines of text each.
ROW_HEIGHT, _ROW_ALONE, _ROW_UNDER = 46, 44, 17
# Rows of a main chart share what a screen of 1440 x 900 leaves below filters, finding and figures,
# down to what their names need to be read. Closer ones have no room for a second line.
_ROWS_HEIGHT, _LEAST_ROW, _TWO_LINES = 190, 16, 20
# Stands between a heading and what is under it; nobody types it.
_UNDER = "\u001f"
# Channels that tell rows apart, or the one look of all of them.
Told = tuple[alt.Color, alt.Shape] | Look


def height_of_row(labels: Sequence[str]) -> float:
    """Return the height of each row in pixels: `ROW_HEIGHT`, or less where many share a screen.

    Args:
        labels: The rows' names; a line break starts another line.
    """
    lines = 1 + max((label.count("\n") for label in labels), default=0)
    least = _LEAST_ROW + (lines - 1) * (LINE + 2)
    return min(ROW_HEIGHT, max(least, _ROWS_HEIGHT / max(1, len(labels))))


def labelled(order: Sequence[str], height: float = ROW_HEIGHT) -> alt.Y:
    """Return the axis of named rows, in order; a line break in a name starts another line.

    Args:
        order: The names.
        height: Of a row, in pixels.
    """
    axis = alt.Axis(
        labelLimit=LABEL_WIDTH,
        labelOverlap=False,
        # Else the first and the last stand closer to their neighbours than their rows do.
        labelFlush=False,
        labelExpr="datum.label" if height < _TWO_LINES else LINES_OF_NAME,
        grid=True,
    )
    return alt.Y("label:N", sort=list(order), title=None, axis=axis)


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


class Grouped(NamedTuple):
    """Rows under headings.

    Attributes:
        rows: The frame to draw.
        axis: Where each stands.
        headings: Layers with the headings, if there are any.
    """

    rows: pd.DataFrame
    axis: alt.Y
    height: int
    headings: Sequence[alt.Chart] = ()


def under_headings(rows: pd.DataFrame, group: str, name: str) -> Grouped:
    """Return rows with each group's names under its heading.

    Groups of one and the same name need none: the group itself is then the label.

    Args:
        rows: In order of their groups.
        group: The column of the headings; a line break in one starts another line.
        name: The column of what stands under them.
    """
    groups = list(dict.fromkeys(rows[group]))
    if rows[name].nunique() < 2:
        lines = max((str(one).count("\n") + 1 for one in groups), default=1)
        height = max(_ROW_ALONE, LINE * lines + 8) * len(groups)
        return Grouped(rows.assign(label=rows[group]), labelled(groups), height)
    names = list(dict.fromkeys(rows[name]))
    given = set(zip(rows[group], rows[name], strict=True))
    order = [
        f"{one}{_UNDER}{under}"
        for one in groups
        for under in ("", *(each for each in names if (one, each) in given))
    ]
    label = [f"{one}{_UNDER}{under}" for one, under in zip(rows[group], rows[name], strict=True)]
    axis = alt.Y(
        "row:N",
        sort=order,
        title=None,
        scale=alt.Scale(domain=order),
        axis=alt.Axis(
            labelExpr=f"split(datum.label, '{_UNDER}')[1]",
            labelLimit=LABEL_WIDTH,
            labelOverlap=False,
            ticks=False,
            description=f"Under each of {len(groups)} headings: {', '.join(names)}",
        ),
    )
    said = [str(one).replace("\n", ", ") for one in groups]
    above = pd.DataFrame({"row": [f"{one}{_UNDER}" for one in groups], "heading": said})
    font_size, shift, text = small_headings()
    heading = (
        alt.Chart(above)
        .transform_calculate(lines=text)
        # Cut at the plot: what sticks out would take the room of the plot itself.
        .mark_text(
            align="left",
            fontWeight="bold",
            fontSize=alt.ExprRef(font_size),
            baseline="middle",
            color=GREY,
            dy=alt.ExprRef(shift),
            clip=True,
            limit=alt.ExprRef("width"),
        )
        .encode(x=alt.XValue(0), y=axis, text=alt.Text("lines:N"))
    )
    return Grouped(rows.assign(row=label), axis, _ROW_UNDER * len(order), [heading])


def told_apart(
    field: str,
    order: Sequence[str],
    colours: Sequence[str],
    shapes: Sequence[str],
    legend: alt.Legend | None = None,
) -> tuple[alt.Color, alt.Shape]:
    """Return the colour of each value of a column, and the shape that repeats what it says."""
    shown = list(order)
    coloured = alt.Scale(domain=shown, range=list(colours[: len(shown)]))
    shaped = alt.Scale(domain=shown, range=list(shapes[: len(shown)]))
    return (
        alt.Color(f"{field}:N", legend=legend, sort=shown, scale=coloured),
        alt.Shape(f"{field}:N", legend=legend, sort=shown, scale=shaped),
    )


def by_judge(
    looks: Mapping[str, Look],
    judges: Sequence[str],
    legend: alt.Legend | None = None,
    field: str = "judge_id",
) -> tuple[alt.Color, alt.Shape]:
    """Return the colour of each judge, and the shape that repeats what it says."""
    order = list(dict.fromkeys(judges))
    colours, shapes = zip(*(looks[one] for one in order), strict=True) if order else ((), ())
    return told_apart(field, order, colours, shapes, legend)


def few_series(names: Sequence[str], field: str) -> tuple[alt.Color, alt.Shape]:
    """Return the colours of a few lines that bear their names; further ones are grey.

    Args:
        names: Of the lines, those that matter most first; may repeat.
        field: The column of names.
    """
    order = list(dict.fromkeys(names))
    rest = max(0, len(order) - len(COLOURS))
    return told_apart(field, order, (*COLOURS, *[GREY] * rest), (*SHAPES, *["circle"] * rest))


def beside_others(rows: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Return the lines of other judges, grey and behind the one that a panel is about."""
    lines = alt.Chart(rows).mark_line(color=GREY, strokeWidth=1.2, opacity=0.5)
    return lines.encode(x=x, y=y, detail=alt.Detail("judge_id:N"))
