"""The ballots of a Tabbycat room: which one counts, and what its sheets give to whom."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ingestion.json_values import as_json
from ingestion.oversight.reading import BrokenRecord
from ingestion.parliamentary.readers.tabs.rooms import TAB_HOUSES, HouseLine, Sheet, SpeechLine
from ingestion.sources.cells import id_text, shown
from warehouse.records.core import House

_KEY = re.compile(r"/(?P<kind>[a-z-]+)/(?P<id>\d+)/?$")
_ELIMINATION = "E"


def ballot_that_counts(
    listed: Sequence[Mapping[str, Any]],
) -> tuple[Mapping[str, Any] | None, str | None]:
    """Return the ballot that counts; where there is not one, why."""
    confirmed = [each for each in listed if each.get("confirmed") is True]
    kept = [each for each in confirmed if not each.get("discarded")]
    if not kept:
        why = "a confirmed ballot was discarded" if confirmed else "no ballot is confirmed"
        return None, why if listed else "no ballot"
    if len({as_json([each.get("result"), each.get("motion")]) for each in kept}) > 1:
        return None, f"{len(kept)} ballots are confirmed and differ"
    if kept[0].get("result") is None:
        return None, "the confirmed ballot holds no result"
    return max(kept, key=lambda each: _version(each.get("version"))), None


def _version(value: Any) -> int:
    return value if isinstance(value, int) else 0


def sheets_of(
    ballot: Mapping[str, Any], speakers: Mapping[str, str | None], stage: str | None
) -> list[Sheet]:
    """Return the sheets of a ballot.

    Raises:
        BrokenRecord: It is not of four houses with two speeches each, or none.
    """
    result = ballot.get("result")
    listed = result.get("sheets") if isinstance(result, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise BrokenRecord("result.sheets", f"should be a list of sheets; found {shown(listed)}")
    sheets = []
    for number, each in enumerate(listed):
        lines = four_lines(each.get("teams"), f"result.sheets[{number}].teams")
        whose = each.get("adjudicator")
        identity = key_of(whose)[1] or id_text(whose)
        sheets.append(
            Sheet({house: _house(house, line, speakers, stage) for house, line in lines}, identity)
        )
    own = Counter(sheet.adjudicator for sheet in sheets if sheet.adjudicator is not None)
    if twice := [each for each, count in own.items() if count > 1]:
        raise BrokenRecord("result.sheets", f"adjudicator {twice[0]} has more than one sheet")
    return sheets


def _house(
    house: House, line: Mapping[str, Any], speakers: Mapping[str, str | None], stage: str | None
) -> HouseLine:
    listed = line.get("speeches") or []
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise BrokenRecord("speeches", f"should be a list of speeches; found {shown(listed)}")
    if len(listed) not in (0, 2):
        raise BrokenRecord(
            "speeches", f"{house.upper()} has {len(listed)} speeches; a house has two, and no reply"
        )
    win = line.get("win")
    return HouseLine(
        speeches=[
            SpeechLine(
                speakers.get(key_of(each.get("speaker"))[1] or ""),
                each.get("score"),
                each["ghost"] if isinstance(each.get("ghost"), bool) else None,
            )
            for each in listed
        ],
        points=line.get("points"),
        total=line.get("score"),
        # In other rounds the upper half of the room is said to have won.
        is_winner=win if isinstance(win, bool) and (not listed or stage == _ELIMINATION) else None,
    )


def sides_of(teams: Any) -> list[Any] | None:
    """Return the sides of a list of teams, words in small letters; None where it is no list."""
    if not isinstance(teams, list) or not all(isinstance(each, dict) for each in teams):
        return None
    sides = (each.get("side") for each in teams)
    # Anything else is no side; as text it is shown as what it is.
    return [side if isinstance(side, int) else str(side).casefold() for side in sides]


def four_lines(teams: Any, name: str) -> list[tuple[House, dict[str, Any]]]:
    """Return the lines of the four houses in their order, whatever form the sides have.

    A side is `og` to `co`, or 0 to 3; messages name the field.

    Raises:
        BrokenRecord: The houses are not there once each.
    """
    sides = sides_of(teams)
    if sides is None:
        raise BrokenRecord(name, f"should be a list of teams with sides; found {shown(teams)}")
    found: dict[House, dict[str, Any]] = {}
    for side, line in zip(sides, teams, strict=True):
        house = _house_of(side)
        if house is None or house in found:
            raise BrokenRecord(name, f"should have og, oo, cg and co once each; found {sides}")
        found[house] = line
    if len(found) != len(TAB_HOUSES):
        raise BrokenRecord(name, f"should have og, oo, cg and co once each; found {sides}")
    return [(house, found[house]) for house in TAB_HOUSES]


def _house_of(side: Any) -> House | None:
    if isinstance(side, bool):
        return None
    text = str(side)
    if text in ("0", "1", "2", "3"):
        return TAB_HOUSES[int(text)]
    return next((house for house in TAB_HOUSES if house == text), None)


def key_of(address: Any) -> tuple[str | None, str | None]:
    """Return the kind and id an address names; both None for what is no address."""
    found = _KEY.search(address) if isinstance(address, str) else None
    return (found["kind"], found["id"]) if found else (None, None)
