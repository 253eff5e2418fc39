"""From the sheets of a room to its results: each ballot's own, and the panel's.

Where the tab has the panel's sheet, that is the official result. Where it has single ballots alone,
the panel's is derived as Tabbycat derives it: the mean of each speech's scores over the ballots
that count, and houses ranked by their sums. Such a result says in `extra` that it is derived.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ingestion.json_values import finite
from ingestion.parliamentary.readers.tabs.rooms import HouseLine, Room, Sheet, SpeechLine
from ingestion.reading import Reading
from ingestion.sources.csv_cells import shown
from warehouse.records.bp import HOUSES, ROLES_OF, House, Role, house_sums

SCORE_MIN, SCORE_MAX = 50, 100
_SPEECHES = 2
_FROM_TOTALS = "the sums of the speakers' scores"
_SUMS_DIFFER = "totals that are not the sum of the house's speeches, the speeches counted"
_AGAINST_SUMS = "sheets that rank the houses otherwise than their scores do, the ranks kept"
_IRON = "houses for which one person spoke twice"
# Scores are given to the half or quarter; sums of their means may differ in the last bit.
_SAME = 1e-6


@dataclass(frozen=True)
class HouseResult:
    """What one sheet gives a house: rank, points, and what else is said of them."""

    rank: int | None
    points: float | None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SheetResult:
    """A sheet, read: no cell of it is anything but a rank, a number or nothing."""

    adjudicator: str | None
    houses: Mapping[House, HouseResult]
    speeches: Mapping[Role, SpeechLine]
    extra: Mapping[str, Any] = field(default_factory=dict)

    def sums(self) -> dict[str, float] | None:
        """Return each house's sum of scores; None unless all eight are known."""
        scores = {role: line.score for role, line in self.speeches.items()}
        known: dict[str, float] = {
            role: score for role, score in scores.items() if score is not None
        }
        if len(known) != len(HOUSES) * _SPEECHES:
            return None
        return house_sums(known)


@dataclass(frozen=True)
class Results:
    """All results of a room, the panel's first; `problem` says why the panel's is not one."""

    sheets: Sequence[SheetResult] = ()
    problem: str | None = None


def results_of(room: Room, reading: Reading) -> Results:
    """Return what the sheets of a room say."""
    if not room.sheets:
        return Results(problem=room.result_problem or "no ballot counts")
    trainees = {seat.identity for seat in room.panel if seat.is_trainee}
    read = [_read(sheet, room, reading) for sheet in room.sheets]
    official = [result for result in read if result.adjudicator is None]
    own = [result for result in read if result.adjudicator is not None]
    if len(official) > 1:
        return Results(own, f"{len(official)} sheets are each the panel's")
    if official:
        return Results([*official, *own], _problem(official[0]))
    panel = _derived([result for result in own if result.adjudicator not in trainees])
    if panel is None:
        return Results(own, "the panel has no result of its own, and its ballots no scores")
    reading.repaired["results of voting panels, derived from their ballots"] += 1
    return Results([panel, *own], _problem(panel))


def _problem(panel: SheetResult) -> str | None:
    # Scores of all eight speeches are a result, whatever is said of the houses.
    is_scored = panel.sums() is not None
    if not is_scored and any("is_winner" in each.extra for each in panel.houses.values()):
        return "it is known which houses won or went on, not how the four rank"
    return None


def _read(sheet: Sheet, room: Room, reading: Reading) -> SheetResult:
    who = f"{room.place}, sheet of {sheet.adjudicator or 'the panel'}"
    speeches: dict[Role, SpeechLine] = {}
    for house, line in sheet.houses.items():
        if not line.speeches:
            continue
        names = [speech.speaker for speech in line.speeches]
        if names[0] is not None and names[0] == names[1] and sheet is room.sheets[0]:
            reading.repaired[_IRON] += 1
        scores = [
            _score(speech.score, role, who, reading)
            for role, speech in zip(ROLES_OF[house], line.speeches, strict=True)
        ]
        total = finite(line.total)
        known = [score for score in scores if score is not None]
        if total is not None and len(known) == _SPEECHES and abs(total - sum(known)) > _SAME:
            reading.repaired[_SUMS_DIFFER] += 1
        for role, speech, score in zip(ROLES_OF[house], line.speeches, scores, strict=True):
            speeches[role] = SpeechLine(speech.speaker, score, speech.is_ghost)
    ordered = {
        role: speeches[role] for house in HOUSES for role in ROLES_OF[house] if role in speeches
    }
    unranked = SheetResult(sheet.adjudicator, {}, ordered)
    return replace(unranked, houses=_houses(sheet, unranked.sums(), who, reading))


def _score(value: Any, role: str, who: str, reading: Reading) -> float | None:
    if value is None:
        return None
    reading.cells += 1
    number = finite(value)
    if number is None or not SCORE_MIN <= number <= SCORE_MAX:
        reason = f"should be a number from {SCORE_MIN} to {SCORE_MAX}; found {shown(value)}"
        reading.reject_cells(who, f"score of {role.upper()}", reason, value)
        return None
    return number


def _houses(
    sheet: Sheet, sums: Mapping[str, float] | None, who: str, reading: Reading
) -> dict[House, HouseResult]:
    lines = sheet.houses
    if any(line.is_winner is not None for line in lines.values()) and not _said_ranks(lines):
        return {
            house: HouseResult(None, None, {"is_winner": bool(line.is_winner)})
            for house, line in lines.items()
        }
    by_sums = _ranks_of(sums) if sums else None
    said = [line.points for line in lines.values()]
    if all(value is None for value in said):
        ranks, extra = by_sums, {"rank_from": _FROM_TOTALS}
    else:
        reading.cells += len(said)
        ranks, extra = _said_ranks(lines), {}
        if ranks is None:
            reason = f"should rank all four houses, each differently; found {shown(said)}"
            reading.reject_cells(who, "ranks of the houses", reason, said, len(said))
        elif by_sums is not None and by_sums != ranks:
            reading.repaired[_AGAINST_SUMS] += 1
    if ranks is None:
        return {house: HouseResult(None, None) for house in lines}
    return {
        house: HouseResult(ranks[house], float(len(HOUSES) - ranks[house]), extra)
        for house in HOUSES
    }


def _said_ranks(lines: Mapping[House, HouseLine]) -> dict[str, int] | None:
    ranks: dict[str, int] = {}
    for house, line in lines.items():
        points = finite(line.points)
        if points is None or not points.is_integer():
            return None
        ranks[house] = len(HOUSES) - int(points)
    return ranks if sorted(ranks.values()) == [1, 2, 3, 4] else None


def _ranks_of(sums: Mapping[str, float]) -> dict[str, int] | None:
    """Rank houses by their sums; None where two are equal, which the format does not allow."""
    best = sorted(sums, key=lambda house: -sums[house])
    if any(sums[high] - sums[low] <= _SAME for high, low in pairwise(best)):
        return None
    return {house: place for place, house in enumerate(best, start=1)}


def _derived(ballots: Sequence[SheetResult]) -> SheetResult | None:
    """Return the panel's result out of single ballots; None where they have no scores at all."""
    if not any(line.score is not None for each in ballots for line in each.speeches.values()):
        return None
    said = {"derived": f"from {len(ballots)} ballots: mean scores, and houses by their sums"}
    speeches: dict[Role, SpeechLine] = {}
    for role in (role for house in HOUSES for role in ROLES_OF[house]):
        lines = [each.speeches[role] for each in ballots if role in each.speeches]
        scores = [line.score for line in lines if line.score is not None]
        speakers = {line.speaker for line in lines}
        # A mean over some of the ballots, or of two people's speeches, is no panel's score.
        is_whole = len(scores) == len(ballots) and len(speakers) == 1
        speeches[role] = SpeechLine(
            next(iter(speakers)) if len(speakers) == 1 else None,
            math.fsum(scores) / len(scores) if is_whole else None,
            lines[0].is_ghost if lines else None,
        )
    panel = SheetResult(None, {}, speeches, said)
    ranks = _ranks_of(sums) if (sums := panel.sums()) else None
    houses = {
        house: HouseResult(ranks[house], float(len(HOUSES) - ranks[house]))
        if ranks
        else HouseResult(None, None)
        for house in HOUSES
    }
    return replace(panel, houses=houses)
