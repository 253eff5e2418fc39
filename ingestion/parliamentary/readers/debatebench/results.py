"""The rows of DebateBench's workbook: eight scores and the four houses from first to fourth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from inference.parliamentary.items import HOUSE_OF, HOUSES, ROLES, SCORE_MAX, SCORE_MIN
from ingestion.oversight.reading import Reading
from ingestion.parliamentary.readers.debatebench.files import Row
from ingestion.parliamentary.readers.tabs.transcripts import title_key
from ingestion.sources.cells import shown

_TITLE, _PLACES = "tourney", ("first", "second", "third", "fourth")
COLUMNS = (_TITLE, *ROLES, *_PLACES)
_TITLE_AT_MOST = 250


@dataclass(frozen=True)
class Result:
    """One row.

    Attributes:
        scores: The panel's score of each speech; those that cannot be read are not there.
        ranking: The houses from first to fourth; None where they are no ranking.
    """

    title: str
    row: int
    scores: Mapping[str, float]
    ranking: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """The row, for people."""
        return f"{self.title} (row {self.row})"

    @property
    def said(self) -> tuple[Any, ...]:
        """What the row says of the debate: two rows that say the same are one result."""
        return (dict(self.scores), self.ranking)

    @property
    def contradiction(self) -> str | None:
        """Where the ranking is not that of the houses' sums of scores; None where it cannot be."""
        if self.ranking is None or len(self.scores) < len(ROLES):
            return None
        sums = {
            house: sum(score for role, score in self.scores.items() if HOUSE_OF[role] == house)
            for house in HOUSES
        }
        pairs = [
            f"{better.upper()} is before {worse.upper()} with {sums[better]:g} to {sums[worse]:g}"
            for better, worse in combinations(self.ranking, 2)
            if sums[better] <= sums[worse]
        ]
        return f"the ranking contradicts the scores: {', '.join(pairs)}" if pairs else None


def read_results(rows: Iterable[Row], reading: Reading) -> dict[str, list[Result]]:
    """Return the results by what spellings of their titles have in common.

    A score that is no number from 50 to 100 is rejected alone, and a ranking that does not name
    each house once as a whole; the rest of the row stays.
    """
    results: dict[str, list[Result]] = {}
    for row in rows:
        reading.records += 1
        place = f"row {row.number}"
        cell = row.cells[_TITLE]
        # Spreadsheets break long titles, and paste spaces that do not break.
        title = " ".join(cell.split()) if isinstance(cell, str) else ""
        key = title_key(title) if title.isprintable() else ""
        if not key or len(title) > _TITLE_AT_MOST:
            reason = f"should be the debate's title; found {shown(cell)}"
            reading.reject(place, _TITLE, reason, row.cells)
            continue
        scores = {
            role: score for role in ROLES if (score := _score(row, role, reading)) is not None
        }
        result = Result(title, row.number, scores, _ranking(row, reading))
        same = results.setdefault(key, [])
        if any(other.said == result.said for other in same):
            reading.repaired["rows of results that are there more than once, read once"] += 1
        else:
            same.append(result)
    return results


def _score(row: Row, role: str, reading: Reading) -> float | None:
    cell = row.cells[role]
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    if is_number and math.isfinite(cell) and SCORE_MIN <= cell <= SCORE_MAX:
        return float(cell)
    if cell is None:
        reading.repaired["scores that are blank"] += 1
        return None
    reason = f"should be a number from {SCORE_MIN} to {SCORE_MAX}; found {shown(cell)}"
    reading.reject(f"row {row.number}", role.upper(), reason, {role: cell})
    return None


def _ranking(row: Row, reading: Reading) -> tuple[str, ...] | None:
    cells = [row.cells[place] for place in _PLACES]
    if all(cell is None for cell in cells):
        reading.repaired["rows of results without a ranking"] += 1
        return None
    ranking = tuple(str(cell or "").strip().casefold() for cell in cells)
    if sorted(ranking) == sorted(HOUSES):
        return ranking
    found = ", ".join(str(cell) for cell in cells)
    reason = f"First to Fourth should name each of OG, OO, CG and CO once; found {found[:80]}"
    original = {place: row.cells[place] for place in _PLACES}
    reading.reject(f"row {row.number}", "First", reason, original)
    return None
