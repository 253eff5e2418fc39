"""One colour and one shape per judge, the same on every page.

The colours are those of Okabe and Ito that read on white and on black alike; yellow and black are
left out. A shape repeats what the colour says, for those who cannot tell the colours apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from dashboard.core.labels import HUMAN

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
# Reads on white and on black; used for people, chance lines and notes in charts.
GREY = "#808495"


class Look(NamedTuple):
    """How a judge is drawn."""

    colour: str
    shape: str


def looks(judge_ids: Iterable[str]) -> dict[str, Look]:
    """Return how each judge is drawn.

    A judge's id alone decides its place, unless an earlier id has that place: then the next free
    one. Colours repeat only when all are used, and then with another shape.

    Args:
        judge_ids: Every judge of the published version, not only those on the page.
    """
    chosen = {HUMAN: Look(GREY, "circle")}
    free: list[int] = []
    for at, judge_id in enumerate(sorted(set(judge_ids) - {HUMAN})):
        free = free or list(range(len(COLOURS)))
        turn = at // len(COLOURS)
        wanted = int(hashlib.sha256(judge_id.encode()).hexdigest(), 16) % len(COLOURS)
        place = min(free, key=lambda colour: (colour - wanted) % len(COLOURS))
        free.remove(place)
        chosen[judge_id] = Look(COLOURS[place], SHAPES[(place + turn) % len(SHAPES)])
    return chosen
