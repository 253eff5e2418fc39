"""Debates composed for the sample: who argues well, who speaks last and who wins, cell by cell.

Every cell of round count, last speaker and winner has the same number of debates. In four of five
of each cell the voters' winner is the side that argues better; in the fifth it is the other.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Literal

from ingestion.sample.draws import Draws

_FOLDER = Path(__file__).parent
_SEED = 20_260_611
Side = Literal["pro", "con"]
SIDES: tuple[Side, Side] = ("pro", "con")
ROUNDS = (3, 4, 5)
PER_CELL = 20
# The share of decided debates that the better argued side wins, as so many of each cell.
FOLLOWING_PER_CELL = 16
# Sentences that say nothing, a turn of a side that talks at length.
PADDING = 3
# Beside the cells: debates that the filter rules remove, so that the funnel has something to show.
_REMOVED = ("forfeit_label", "forfeit_turn", "round_count", "no_votes", "margin", "margin")


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
        motion: What is debated.
        category: The motion's subject.
        better_side: The side that argues better, as it was composed.
        turns: What is said.
        votes_pro: Made-up votes for pro.
        votes_tie: For neither.
        removed_by: The filter rule that it was made for; None for one of the cells.
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


@cache
def sample_debates() -> tuple[SampleDebate, ...]:
    """Return the sample's debates, always the same."""
    motions: list[dict[str, Any]] = _read("motions.toml")["motion"]
    lines = _read("lines.toml")
    draws = Draws(_SEED)
    debates: list[SampleDebate] = []
    cells = [
        (rounds, end_side, winner, place)
        for place, rounds, end_side, winner in product(range(PER_CELL), ROUNDS, SIDES, SIDES)
    ]
    for number, (rounds, end_side, winner, place) in enumerate(cells):
        # Every motion meets every cell: the shift moves on by one motion each time round.
        motion = motions[(number + number // len(motions)) % len(motions)]
        better = winner if place < FOLLOWING_PER_CELL else _other(winner)
        turns = _turns(draws, motion, lines, rounds, end_side, better)
        ahead, behind, tied = 4 + draws.below(6), draws.below(2), draws.below(3)
        votes = (ahead, behind) if winner == "pro" else (behind, ahead)
        debates.append(
            SampleDebate(
                f"sample-debates:{motion['slug']}-{number:03d}",
                motion["text"],
                motion["category"],
                rounds,
                better,
                turns,
                *votes,
                tied,
            )
        )
    for number, rule in enumerate(_REMOVED * 2, start=len(cells)):
        motion = motions[number % len(motions)]
        debates.append(_removed(draws, motion, lines, number, rule))
    return tuple(debates)


def _removed(
    draws: Draws, motion: dict[str, Any], lines: dict[str, Any], number: int, rule: str
) -> SampleDebate:
    rounds = 2 if rule == "round_count" else 3
    better = SIDES[draws.below(2)]
    turns = _turns(draws, motion, lines, rounds, "con", better)
    if rule in ("forfeit_label", "forfeit_turn"):
        last = turns[-1]
        turns = (*turns[:-1], SampleTurn(last.round, last.side, "forfeit"))
    ahead = 3 + draws.below(3)
    votes = (0, 0) if rule == "no_votes" else (ahead, ahead - draws.below(3))
    if rule == "round_count":
        votes = (ahead + 4, 1)
    return SampleDebate(
        f"sample-debates:{motion['slug']}-{number:03d}",
        motion["text"],
        motion["category"],
        rounds,
        better,
        turns,
        *votes,
        0,
        rule,
    )


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
    # Half of the weaker sides talk at length: who argues better is not simply who is longer.
    is_padded = bool(draws.below(2))
    turns: list[SampleTurn] = []
    last: dict[Side, list[str]] = {}
    for number in range(rounds):
        for side in (_other(end_side), end_side):
            how = "strong" if side == better else "weak"
            opponent = last.get(_other(side))
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


def _other(side: Side) -> Side:
    return "con" if side == "pro" else "pro"


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
