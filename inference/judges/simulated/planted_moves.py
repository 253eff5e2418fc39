"""What simulated speakers plant in a speech, and simulated judges find in one nobody has rated.

An opening speech makes up to four moves, each told by its words: it gives a reason, gives an
example, answers an objection, and calls on the listeners. A speech that makes m of them is as good
as a human mean of

    scale_min + (scale_max - scale_min) * m / 4.

That is no measure of real speeches: it makes known what the judges of a demonstration should say.
"""

import re
from collections.abc import Mapping

MOVES: Mapping[str, tuple[str, ...]] = {
    "reason": (
        "It is right because the cost of doing nothing falls on those who can least carry it.",
        "We should do it because the good it does is lasting and the trouble it takes is not.",
        "The case is strong because what we do now was designed for a time that has passed.",
    ),
    "example": (
        "For example, towns that tried something like it kept it when the trial was over.",
        "Take, for instance, the places that went first: their fears were gone within a year.",
        "For example, people I have met changed their minds once they saw it at work.",
    ),
    "objection": (
        "Some will say that it asks too much of us. It asks less than what we put up with today.",
        "The usual objection is the price. But we pay already, only later and without a plan.",
        "Opponents warn of a slippery slope. A slope with a railing is called a staircase.",
    ),
    "call": (
        "So I urge you to make up your minds tonight, and to say yes.",
        "Stand with those who are waiting for it, and give this motion your voice.",
        "Support this motion, and let us begin.",
    ),
}
_TOLD_BY: Mapping[str, re.Pattern[str]] = {
    "reason": re.compile(r"\bbecause\b", re.IGNORECASE),
    "example": re.compile(r"\bfor (?:example|instance)\b", re.IGNORECASE),
    "objection": re.compile(
        r"\b(?:some (?:will|may|might) say|critics|opponents|objections?)\b", re.IGNORECASE
    ),
    "call": re.compile(
        r"\b(?:i urge you|stand with|support this motion|vote for)\b", re.IGNORECASE
    ),
}


def moves_made(text: str) -> int:
    """Return how many of the four moves a speech makes."""
    return sum(told.search(text) is not None for told in _TOLD_BY.values())


def planted_mean(text: str, scale_min: float, scale_max: float) -> float:
    """Return the human mean that stands in for a speech nobody has rated."""
    return scale_min + (scale_max - scale_min) * moves_made(text) / len(MOVES)
