"""The sample's debates with made-up votes, and the verdicts of two made-up readers.

Every cell of round count, last speaker and winner has the same number of debates. In four of five
the voters' winner is the side that argues better; in the fifth it is the other.
"""

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from ingestion.sample.draws import Draws

_FOLDER = Path(__file__).parent
_SEED, _READER_SEED = 20_260_611, 20_260_612
Side = Literal["pro", "con"]
SIDES: tuple[Side, Side] = ("pro", "con")
ROUNDS = (3, 4, 5)
PER_CELL = 20
# Debates of a cell that the better argued side wins.
FOLLOWING_PER_CELL = 16
# Empty sentences in a turn of a side that talks at length.
PADDING = 3
# Debates outside the cells that the filter rules remove, for the funnel.
_REMOVED = ("forfeit_label", "forfeit_turn", "round_count", "no_votes", "margin", "margin")
PER_READER = 75
# How often of a hundred a reader sides with the better argued side.
_READERS = {"reader-1": 78, "reader-2": 80}


@dataclass(frozen=True)
class SampleTurn:
    """One turn."""

    round: int
    side: Side
    text: str


@dataclass(frozen=True)
class SampleDebate:
    """One debate with its votes.

    Attributes:
        better_side: The side that argues better by construction.
        removed_by: The filter rule that it was made for; None for a debate of the cells.
    """

    debate_id: str
    motion: str
    category: str
    rounds: int
    better_side: Side
    turns: tuple[SampleTurn, ...]
    votes_pro: int
    votes_con: int
    votes_tie: int
    removed_by: str | None = None


@dataclass(frozen=True)
class SampleReader:
    """One reader's verdict on one debate."""

    debate_id: str
    reader: str
    choice: Side


@cache
def sample_debates() -> tuple[SampleDebate, ...]:
    """Return the sample's debates, always the same."""
    motions: list[dict[str, Any]] = _read("motions.toml")["motion"]
    lines = _read("lines.toml")
    draws = Draws(_SEED)
    debates: list[SampleDebate] = []

    def add(
        motion: dict[str, Any],
        better: Side,
        turns: tuple[SampleTurn, ...],
        rounds: int,
        votes: tuple[int, int, int],
        rule: str | None = None,
    ) -> None:
        name = f"sample-debates:{motion['slug']}-{len(debates):03d}"
        text, category = motion["text"], motion["category"]
        debates.append(
            SampleDebate(name, text, category, rounds, better, turns, *votes, removed_by=rule)
        )

    cells = product(range(PER_CELL), ROUNDS, SIDES, SIDES)
    for number, (place, rounds, end_side, winner) in enumerate(cells):
        # Every motion meets every cell: the shift moves on by one motion each time round.
        motion = motions[(number + number // len(motions)) % len(motions)]
        better = winner if place < FOLLOWING_PER_CELL else _opponent(winner)
        turns = _turns(draws, motion, lines, rounds, end_side, better)
        ahead, behind, tied = 4 + draws.below(6), draws.below(2), draws.below(3)
        votes = (ahead, behind) if winner == "pro" else (behind, ahead)
        add(motion, better, turns, rounds, (*votes, tied))
    for rule in _REMOVED * 2:
        motion = motions[len(debates) % len(motions)]
        rounds = 2 if rule == "round_count" else 3
        better = SIDES[draws.below(2)]
        turns = _turns(draws, motion, lines, rounds, "con", better)
        if rule in ("forfeit_label", "forfeit_turn"):
            turns = (*turns[:-1], replace(turns[-1], text="forfeit"))
        ahead = 3 + draws.below(3)
        votes = (0, 0) if rule == "no_votes" else (ahead, ahead - draws.below(3))
        if rule == "round_count":
            votes = (ahead + 4, 1)
        add(motion, better, turns, rounds, (*votes, 0), rule)
    return tuple(debates)


def sample_readers() -> list[SampleReader]:
    """Return the verdicts of the readers, always the same; both read the same debates."""
    draws = Draws(_READER_SEED)
    kept = [debate for debate in sample_debates() if debate.removed_by is None]
    chosen = sorted(draws.shuffled(kept)[:PER_READER], key=lambda debate: debate.debate_id)
    return [
        SampleReader(
            debate.debate_id,
            reader,
            debate.better_side if draws.below(100) < percent else _opponent(debate.better_side),
        )
        for reader, percent in _READERS.items()
        for debate in chosen
    ]


def _turns(
    draws: Draws,
    motion: dict[str, Any],
    lines: dict[str, Any],
    rounds: int,
    end_side: Side,
    better: Side,
) -> tuple[SampleTurn, ...]:
    points = {side: draws.shuffled(motion[side]) for side in SIDES}
    motion_text = motion["text"][0].lower() + motion["text"][1:]
    # Half of the weaker sides talk at length: the better side is not simply the longer one.
    is_padded = bool(draws.below(2))
    turns: list[SampleTurn] = []
    last: dict[Side, list[str]] = {}
    for number in range(rounds):
        for side in (_opponent(end_side), end_side):
            how = "strong" if side == better else "weak"
            opponent = last.get(_opponent(side))
            parts: list[str] = []
            if number == 0:
                opening = _pick(draws, lines["opening"][side])
                parts.append(opening.format(motion=motion_text))
            if opponent is not None:
                line = _pick(draws, lines["answering"][how])
                parts.append(line.format(claim=opponent[0], answer=opponent[2]))
            if is_padded and how == "weak":
                parts += draws.shuffled(lines["padding"]["weak"])[:PADDING]
            kind = "adding" if number < len(points[side]) else "again"
            point = points[side][number % len(points[side])]
            kind = kind if number else "first"
            line = _pick(draws, lines[kind][how])
            parts.append(line.format(claim=point[0], ground=point[1]))
            if number == rounds - 1:
                closing = _pick(draws, lines["closing"][how])
                parts.append(closing.format(side=side.capitalize()))
            last[side] = point
            turns.append(SampleTurn(number + 1, side, " ".join(parts)))
    return tuple(turns)


def _pick(draws: Draws, lines: list[str]) -> str:
    return lines[draws.below(len(lines))]


def _opponent(side: Side) -> Side:
    return "con" if side == "pro" else "pro"


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
