"""Source `tabbycat`: the rooms of a British Parliamentary tournament out of its API's documents.

Addresses inside the documents are read as names of teams, speakers and so on, and never fetched.
Of a room's ballots one counts; its sheets give scores to speakers and ranks to teams.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers.tabbycat.export import Export, read_export
from ingestion.parliamentary.readers.tabs.batch import batch_of
from ingestion.parliamentary.readers.tabs.rooms import (
    FORFEITED,
    HouseLine,
    Room,
    Seat,
    Sheet,
    SpeechLine,
    Team,
    day_of,
    name_of,
    names_of,
    plain_text,
)
from ingestion.parliamentary.settings import TranscribedSettings
from ingestion.reading import BrokenRecord, Reading
from ingestion.sources.csv_cells import id_text, shown
from warehouse.home import Home
from warehouse.records.bp import HOUSES, House
from warehouse.records.core import Dataset

_KEY = re.compile(r"/(?P<kind>[a-z-]+)/(?P<id>\d+)/?$")
_ELIMINATION = "E"
NAME = "tabbycat"
DATASET = Dataset(
    dataset_id=NAME,
    title="Tournament tabs (Tabbycat)",
    licence="Not stated; ask the tournament",
    url="https://tabbycat.readthedocs.io",
)
_LIVE = re.compile(r"https?://[^?#]*/api/v1/tournaments/[\w-]+/?$", re.IGNORECASE)
_TOURNAMENT = re.compile(r"^https?://(?P<host>[^/]+)/.*?/tournaments/(?P<slug>[^/]+)")
_ID = re.compile(r"\d{1,20}", re.ASCII)
_NO_ID = re.compile(r"[^A-Za-z0-9_.-]+")
_TWO_TEAMS = ("aff", "neg")
_SWING = "S"
_BYES = "rooms with a bye, not read"
_NO_PAIRINGS = "rounds without pairings"
_SEVERAL_MOTIONS = "rooms of rounds with several motions, where no ballot says which was debated"


def open_tabbycat(home: Home, location: str, settings: TranscribedSettings) -> ParliamentaryBatch:
    """Return the debates of a tournament.

    Raises:
        SourceUnreadable: It is no British Parliamentary tournament, or not all of it is there.
    """
    dataset = settings.named(DATASET)
    if _LIVE.match(location):
        raise SourceUnreadable(
            "ingestion: a live Tabbycat site is no longer read; save the tournament's documents "
            "(rounds.json, teams.json and so on) and name their folder with --from"
        )
    export = read_export(home, location, dataset)
    reading = Reading(export.landed.shown)
    return batch_of(
        home,
        dataset,
        read_rooms(export, reading),
        reading,
        export.landed,
        motions=settings.motions,
        transcripts=settings.transcripts,
    )


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
    if len(found) != len(HOUSES):
        raise BrokenRecord(name, f"should have og, oo, cg and co once each; found {sides}")
    return [(house, found[house]) for house in HOUSES]


def _house_of(side: Any) -> House | None:
    if isinstance(side, bool):
        return None
    text = str(side)
    if text in ("0", "1", "2", "3"):
        return HOUSES[int(text)]
    return next((house for house in HOUSES if house == text), None)


def key_of(address: Any) -> tuple[str | None, str | None]:
    """Return the kind and id an address names; both None for what is no address."""
    found = _KEY.search(address) if isinstance(address, str) else None
    return (found["kind"], found["id"]) if found else (None, None)


def read_rooms(export: Export, reading: Reading) -> list[Room]:
    """Return the rooms of a tournament.

    Raises:
        SourceUnreadable: The tournament has two teams a room, or no room at all.
    """
    tab = _Tab.of(export)
    rooms = []
    for about in export.objects("rounds"):
        sequence = id_text(about.get("seq"))
        pairings = f"rounds/{sequence}/pairings"
        if pairings not in export.lists:
            reading.repaired[_NO_PAIRINGS] += 1
        for pairing in export.objects(pairings):
            identity = id_text(pairing.get("id")) or key_of(pairing.get("url"))[1]
            place = f"round {sequence}, pairing {identity}"
            sides = sides_of(pairing.get("teams"))
            if sides is not None and {"bye", -1} & set(sides):
                reading.repaired[_BYES] += 1
                continue
            if sides is not None and (len(sides) == 2 or set(sides) & set(_TWO_TEAMS)):
                raise SourceUnreadable(
                    f"ingestion: {export.landed.shown}, {place} has two teams; expected a British "
                    "Parliamentary tournament, with four teams a room"
                )
            reading.records += 1
            with reading.whole(place, pairing):
                rooms.append(_room(tab, about, pairing, identity, place, reading))
    if not rooms and not reading.rejects:
        raise SourceUnreadable(
            f"ingestion: {export.landed.shown} has rounds and no pairings; save "
            "rounds/<seq>/pairings.json of each round, and ballots.json of each pairing, as well"
        )
    return rooms


@dataclass(frozen=True)
class _Tab:
    """What pairings and ballots refer to, by kind and id."""

    export: Export
    prefix: str
    name: str | None
    teams: dict[str, dict[str, Any]] = field(default_factory=dict)
    speakers: dict[str, str | None] = field(default_factory=dict)
    adjudicators: dict[str, str | None] = field(default_factory=dict)
    venues: dict[str, str | None] = field(default_factory=dict)
    motions: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, export: Export) -> _Tab:
        about = export.tournament
        teams = _by_id(export.objects("teams"))
        members = [
            each
            for team in teams.values()
            for each in _listed(team.get("speakers"))
            if isinstance(each, dict)
        ]
        motions = _by_id(export.objects("motions"))
        for each in export.objects("rounds"):
            for motion in _listed(each.get("motions")):
                if isinstance(motion, dict):
                    motions = _by_id([motion]) | motions
        return cls(
            export,
            _prefix(about, export),
            name_of(about.get("name")) or name_of(about.get("short_name")),
            teams,
            {
                key: None if each.get("anonymous") is True else name_of(each.get("name"))
                for key, each in _by_id([*export.objects("speakers"), *members]).items()
            },
            _names(export, "adjudicators", "name"),
            _names(export, "venues", "display_name", "name"),
            motions,
        )


def _prefix(about: Mapping[str, Any], export: Export) -> str:
    """Return what keeps the ids of one tab apart from those of another: site and tournament."""
    listed = [about, *export.objects("rounds"), *export.objects("teams")]
    address = next((each["url"] for each in listed if isinstance(each.get("url"), str)), "")
    found = _TOURNAMENT.search(address)
    slug = id_text(about.get("slug")) or (found["slug"] if found else "tournament")
    host = found["host"] if found else ""
    return "/".join(_NO_ID.sub("-", part)[:100] for part in (host, slug) if part)


def _room(
    tab: _Tab,
    about: Mapping[str, Any],
    pairing: Mapping[str, Any],
    identity: str | None,
    place: str,
    reading: Reading,
) -> Room:
    if identity is None or not _ID.fullmatch(identity):
        raise BrokenRecord("id", f"should be a number; found {shown(pairing.get('id'))}")
    sequence = id_text(about.get("seq"))
    teams = {}
    for line in four_lines(pairing.get("teams"), "teams"):
        team = tab.teams.get(key_of(line[1].get("team"))[1] or "", {})
        teams[line[0]] = Team(_team_name(team), _is_swing(team))
    ballot, problem = ballot_that_counts(
        list(tab.export.objects(f"rounds/{sequence}/pairings/{identity}/ballots"))
    )
    sheets: Sequence[Sheet] = ()
    if ballot is not None:
        sheets = sheets_of(ballot, tab.speakers, name_of(about.get("stage")))
        if ballot.get("forfeit"):
            sheets, problem = (), FORFEITED
        elif set(map(_teams_of, ballot["result"]["sheets"])) - {_teams_of(pairing)}:
            sheets = ()
            problem = "the ballot has other teams than the draw, or has them elsewhere"
    motion, unknown = _motion(tab, about, ballot, sequence)
    if unknown:
        reading.repaired[_SEVERAL_MOTIONS] += 1
    round_name = name_of(about.get("name")) or f"Round {sequence}"
    room_name = tab.venues.get(key_of(pairing.get("venue"))[1] or "")
    rounds = [round_name, name_of(about.get("abbreviation"))]
    return Room(
        identity=f"{tab.prefix}/{identity}",
        place=place,
        teams=teams,
        tournament=tab.name,
        round=round_name,
        room=room_name,
        names=[
            *names_of(tab.name, rounds, room_name),
            f"{tab.prefix.rpartition('/')[2]} {identity}",
        ],
        motion=plain_text(motion.get("text")),
        info_slide=plain_text(motion.get("info_slide_plain") or motion.get("info_slide")),
        panel=_panel(tab, pairing.get("adjudicators")),
        sheets=sheets,
        result_problem=problem,
        start_date=day_of(about.get("starts_at")),
        extra={
            "motion_reference": name_of(motion.get("reference")),
            "stage": name_of(about.get("stage")),
            "ballot_version": ballot.get("version") if ballot else None,
        },
    )


def _teams_of(listed: Mapping[str, Any]) -> tuple[str | None, ...]:
    return tuple(key_of(line.get("team"))[1] for _, line in four_lines(listed["teams"], "teams"))


def _motion(
    tab: _Tab, about: Mapping[str, Any], ballot: Mapping[str, Any] | None, sequence: str | None
) -> tuple[Mapping[str, Any], bool]:
    """Return the motion of a room, empty if not known, and whether it is one of several."""
    said = ballot.get("motion") if ballot else None
    found = tab.motions.get(key_of(said)[1] or id_text(said) or "")
    if found is not None:
        return found, False
    own = [
        motion
        for motion in tab.motions.values()
        for each in _listed(motion.get("rounds"))
        if sequence in (key_of(each.get("round") if isinstance(each, dict) else each)[1],)
    ]
    own += [
        tab.motions.get(id_text(each.get("id")) or key_of(each.get("url"))[1] or "", each)
        for each in _listed(about.get("motions"))
        if isinstance(each, dict)
    ]
    different = {as_json(each.get("text")): each for each in own}
    if len(different) == 1:
        return next(iter(different.values())), False
    return {}, len(different) > 1


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _panel(tab: _Tab, said: Any) -> list[Seat]:
    if not isinstance(said, dict):
        return []
    seats: dict[str, Seat] = {}
    groups = (("chair", True, False), ("panellists", False, False), ("trainees", False, True))
    for group, is_chair, is_trainee in groups:
        listed = said.get(group)
        for each in listed if isinstance(listed, list) else [listed]:
            identity = key_of(each)[1] or id_text(each)
            if identity is not None and identity not in seats:
                seats[identity] = Seat(
                    identity, tab.adjudicators.get(identity), is_chair, is_trainee
                )
    return list(seats.values())


def _is_swing(team: Mapping[str, Any]) -> bool | None:
    kind = team.get("type")
    return kind.upper()[:1] == _SWING if isinstance(kind, str) and kind else None


def _team_name(team: Mapping[str, Any]) -> str | None:
    names = (name_of(team.get(each)) for each in ("short_name", "long_name", "reference"))
    return next((name for name in names if name), None)


def _names(export: Export, path: str, *fields: str) -> dict[str, str | None]:
    found = _by_id(export.objects(path))
    return {
        key: next((name for each in fields if (name := name_of(about.get(each)))), None)
        for key, about in found.items()
    }


def _by_id(listed: Any) -> dict[str, dict[str, Any]]:
    found = {}
    for each in listed:
        key = id_text(each.get("id")) or key_of(each.get("url"))[1]
        if key is not None:
            found[key] = each
    return found
