"""How points and lines are drawn: colours that carry a meaning, and shapes that repeat it.

The colours are those of Okabe and Ito that read on white and on black alike; yellow and black are
left out. None names a judge: names stand beside what they name. A judge is a blue circle, and
people are grey diamonds; what differs in meaning differs in shape as well, for those who cannot
tell the colours apart.
"""

from __future__ import annotations

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


JUDGE, PERSON = Look(COLOURS[0], "circle"), Look(GREY, "diamond")


def looks(judge_ids: Iterable[str]) -> dict[str, Look]:
    """Return how each judge is drawn, and people beside them."""
    return {HUMAN: PERSON, **{one: JUDGE for one in judge_ids if one != HUMAN}}
