"""Votes on debate.org: a map per voter, keyed by the debaters' names, into counts per criterion."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ingestion.debates.turns import outcome_of
from ingestion.debates.vote_rules import DECIDED_BY, PRIMARY
from ingestion.json_values import finite
from warehouse.records.debates import Outcome

# Points, not a choice: summed.
POINTS = "total_points"
CRITERIA = {
    "Agreed with before the debate": "agreed_before",
    "Agreed with after the debate": "agreed_after",
    "Who had better conduct": "better_conduct",
    "Had better spelling and grammar": "better_spelling_and_grammar",
    "Made more convincing arguments": PRIMARY,
    "Used the most reliable sources": "most_reliable_sources",
    "Who won the debate": "who_won",
    "Total points awarded": POINTS,
}
_TIE = ("tied", "tie")
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False}
Complain = Callable[[str, str, Any], None]


class Ballot(NamedTuple):
    """One voter's choices.

    Attributes:
        choices: `pro`, `con` or `tie` by criterion.
        points: Points by side.
    """

    choices: dict[str, str]
    points: dict[str, float]


def truth(value: Any) -> bool | None:
    """Return a truth value that may be written as a number or a word; None when it is neither."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    if isinstance(value, int | float):
        return value != 0
    return _WORDS.get(value.strip().casefold()) if isinstance(value, str) else None


def count_votes(
    votes: Any,
    names: Mapping[str, str],
    debate_id: str,
    dataset_id: str,
    complain: Complain,
    repaired: Counter[str],
) -> tuple[list[Outcome], int]:
    """Return the outcome of every criterion somebody voted on, and how many people voted.

    Of several votes of one person the first that can be read counts.

    Args:
        votes: What the file has.
        names: The side of each debater, by name.
        complain: Told the field, the reason and the original of each vote that cannot be counted.
        repaired: Counts further votes of a person.
    """
    if votes is None:
        votes = []
    if not isinstance(votes, list):
        complain("votes", "is no list; no vote of this debate is counted", votes)
        return [], 0
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    points: Counter[str] = Counter()
    has_points = False
    voters: set[str] = set()
    repeated = 0
    for place, vote in enumerate(votes):
        field = f"votes[{place}].votes_map"
        votes_map = vote.get("votes_map") if isinstance(vote, dict) else None
        if not isinstance(votes_map, dict):
            complain(field, "is missing or no object; the vote is not counted", vote)
            continue
        ballot = _ballot(votes_map, names)
        if isinstance(ballot, str):
            complain(field, f"{ballot}; the vote is not counted", vote)
            continue
        voter = vote.get("user_name")
        if isinstance(voter, str) and voter.strip():
            if voter.strip() in voters:
                repeated += 1
                continue
            voters.add(voter.strip())
        for criterion, side in ballot.choices.items():
            counts[criterion][side] += 1
        if ballot.points:
            has_points = True
            points.update(ballot.points)
    of = {"debate_id": debate_id, "dataset_id": dataset_id}
    outcomes = [
        outcome_of(
            of,
            criterion,
            decided_by=DECIDED_BY,
            is_primary=criterion == PRIMARY,
            votes=counts[criterion],
        )
        for criterion in sorted(counts)
    ]
    if has_points:
        sums = float(points["pro"]), float(points["con"])
        outcomes.append(
            outcome_of(of, POINTS, decided_by=DECIDED_BY, is_primary=False, scores=sums)
        )
    if repeated:
        repaired["votes of people who had voted on the debate already, not counted"] += repeated
    return outcomes, len(votes) - repeated


def _ballot(votes_map: Mapping[str, Any], names: Mapping[str, str]) -> Ballot | str:
    """Read one voter's map, or say in words why it cannot be."""
    chosen: dict[str, list[str]] = {}
    points: dict[str, float] = {}
    for name, given in votes_map.items():
        side = "tie" if name.strip().casefold() in _TIE else None
        side = names.get(name.strip(), side)
        if given is not None and not isinstance(given, dict):
            return f"holds no criteria for {name!r}"
        for label, value in (given or {}).items():
            criterion = CRITERIA.get(label) or _slug(label)
            amount = _number(value) if criterion == POINTS else truth(value)
            if amount is None:
                kind = "a number" if criterion == POINTS else "true or false"
                return f"'{label}' of {name!r} should be {kind}; found {value!r}"
            if amount and side is None:
                who = ", ".join(map(repr, names))
                return f"names {name!r}, who is neither of the debaters ({who})"
            if criterion == POINTS:
                points[side or name] = amount
            elif amount and side:
                chosen.setdefault(criterion, []).append(side)
    for criterion, sides in chosen.items():
        if len(sides) > 1:
            return f"chooses {' and '.join(sides)} at once for {criterion}"
    return Ballot({criterion: sides[0] for criterion, sides in chosen.items()}, points)


def _number(value: Any) -> float | None:
    if value is None:
        return 0.0
    try:
        return finite(float(value))
    except (TypeError, ValueError):
        return None


def _slug(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", label.casefold()).strip("_") or "unnamed"
