"""Where names stand beside the points of a chart, so that none covers another."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import altair as alt
import pandas as pd

from dashboard.core.series import GREY, LABEL_WIDTH

# Where a label can stand around its point: to which side, how far up (above 0 is down).
SPOTS = tuple((side, rise) for rise in (-9, 13, -22, 26, 39, 52, 65) for side in ("right", "left"))
LETTER, PLOT_WIDTH, PLOT_HEIGHT = 6.2, 840.0, 250.0
_LINE = 13.0
# Of a line in a chart: how far apart its boxes stand, and half their width.
_STEP, _NEAR = 4.0, 4.0


def names_beside(
    rows: pd.DataFrame, x: alt.X, y: alt.Y, name: str, spots: Sequence[int]
) -> list[alt.Chart]:
    """Return layers with the name of each point beside it.

    Args:
        rows: One per point.
        x: The axis across.
        y: The axis up.
        name: The column of names.
        spots: From `label_spots`.
    """
    base = alt.Chart(rows.assign(spot=list(spots)))
    return [
        base.transform_filter(alt.datum.spot == at)
        .mark_text(
            align="left" if side == "right" else "right",
            dx=8 if side == "right" else -8,
            dy=rise,
            fontSize=11,
            color=GREY,
            limit=LABEL_WIDTH,
        )
        .encode(x=x, y=y, text=f"{name}:N")
        for at, (side, rise) in enumerate(SPOTS)
        if at in set(spots)
    ]


class Plot(NamedTuple):
    """Where a chart's axes end, how high it is in pixels, and which lines are drawn in it."""

    across: tuple[float, float]
    up: tuple[float, float]
    height: float = PLOT_HEIGHT
    lines: Sequence[Sequence[tuple[float, float]]] = ()

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixels of a point, from the upper left corner."""
        (left, right), (bottom, top) = self.across, self.up
        wide, high = (right - left) or 1.0, (top - bottom) or 1.0
        return (x - left) / wide * PLOT_WIDTH, (top - y) / high * self.height

    def covered(self) -> list[tuple[float, float, float, float]]:
        """Return the boxes along the lines that no label may cross."""
        boxes = []
        for line in self.lines:
            places = [self.at(x, y) for x, y in line]
            for (x0, y0), (x1, y1) in pairwise(places):
                steps = max(1, round(max(abs(x1 - x0), abs(y1 - y0)) / _STEP))
                for step in range(steps + 1):
                    x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
                    boxes.append((x - _NEAR, x + _NEAR, y - _NEAR, y + _NEAR))
        return boxes


def label_spots(
    names: Sequence[str],
    across: Sequence[float],
    up: Sequence[float],
    *,
    plot: Plot | None = None,
) -> list[int]:
    """Return for each point the first of `SPOTS` at which its label covers nothing drawn before.

    Places are those of a plot of the usual width; in a wider one labels only stand further apart.

    Args:
        names: Of the points.
        across: Where they stand from left to right.
        up: How high they stand, from 0.
        plot: The chart, where its axes go further than the points or lines are drawn in it.
    """
    plot = plot or Plot((min(across), max(across)), (0.0, 100.0))
    points = [plot.at(x, y) for x, y in zip(across, up, strict=True)]
    taken = [(x - 6, x + 6, y - 6, y + 6) for x, y in points] + plot.covered()
    chosen = []
    for name, (x, y) in zip(names, points, strict=True):
        width = LETTER * len(name)
        boxes = []
        for side, rise in SPOTS:
            left = x + 8 if side == "right" else x - 8 - width
            middle = y + rise
            boxes.append((left, left + width, middle - _LINE / 2, middle + _LINE / 2))
        free = (
            at
            for at, box in enumerate(boxes)
            if box[0] >= 0
            and box[1] <= PLOT_WIDTH
            and box[2] >= 0
            and not any(_cross(box, other) for other in taken)
        )
        at = next(free, 0 if x < PLOT_WIDTH / 2 else 1)
        taken.append(boxes[at])
        chosen.append(at)
    return chosen


def _cross(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]
