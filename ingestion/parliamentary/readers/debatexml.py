"""Source `debatexml`: a British Parliamentary tournament as one DebateXML file.

Houses are told by their place: the four sides of a debate are OG, OO, CG and CO in this order. A
file with a document type is refused, and with it every entity somebody could define in one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import ElementTree  # type: ignore[import-untyped]
from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]

from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import BrokenRecord, Reading
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers.tabs.batch import batch_of
from ingestion.parliamentary.readers.tabs.files import read_small_files
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
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.bp import HOUSES, House
from warehouse.records.core import Dataset

NAME = "debatexml"
DATASET = Dataset(
    dataset_id=NAME,
    title="Tournament tabs (DebateXML)",
    licence="Not stated; ask the tournament",
    url="https://github.com/TabbycatDebate/dta-spec",
)
_STYLE = "bp"
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_ID = re.compile(r"[\w.-]{1,60}", re.ASCII)
# Letters of any script stay: two tournaments are not one because neither is written in Latin ones.
_NO_ID = re.compile(r"[^\w.-]+")
_NO_STYLE = "tournaments that name no style, read as British Parliamentary by their four sides"
# The panel's own sheet, beside those of single adjudicators.
_PANEL: str | None = None


def open_debatexml(home: Home, location: str, settings: TranscribedSettings) -> ParliamentaryBatch:
    """Return the debates of the one XML file that a location is or holds.

    Raises:
        SourceUnreadable: There is no such file, or it is no British Parliamentary tournament.
    """
    dataset = settings.named(DATASET)
    found = read_small_files(home, location, dataset, (".xml",))
    landed = found.landed
    if len(found.files) != 1:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} has {len(found.files)} XML files where one was "
            f"expected; it has {found.names}: name the one of the tournament"
        )
    (content,) = found.files.values()
    reading = Reading(landed.shown)
    return batch_of(
        home,
        dataset,
        read_rooms(content, landed.shown, reading),
        reading,
        landed,
        motions=settings.motions,
        transcripts=settings.transcripts,
    )


@dataclass(frozen=True)
class _Ballot:
    """One ballot: whose it is (None for the panel's), and its element."""

    adjudicator: str | None
    element: Element


def read_rooms(content: bytes, shown_as: str, reading: Reading) -> list[Room]:
    """Return the rooms of a tournament.

    Raises:
        SourceUnreadable: It is no DebateXML, has a document type, or is of another style.
    """
    root = _root(content, shown_as)
    debates = [(place, each) for place in root.iter("round") for each in place.findall("debate")]
    style = root.get("style")
    if style is not None and style.strip().casefold() != _STYLE:
        raise SourceUnreadable(
            f"ingestion: {shown_as} is of the style {style[:40]!r}; expected bp, a British "
            "Parliamentary tournament"
        )
    if style is None:
        if not any(len(each.findall("side")) == len(HOUSES) for _, each in debates):
            raise SourceUnreadable(
                f"ingestion: {shown_as} names no style and has no debate of four sides; expected "
                "a British Parliamentary tournament"
            )
        reading.repaired[_NO_STYLE] += 1
    tab = _Tab.of(root, shown_as)
    rooms = []
    for about, element in debates:
        reading.records += 1
        identity = element.get("id")
        place = f"round {about.get('name') or about.get('abbreviation')!r}, debate {identity}"
        with reading.whole(place, element.attrib):
            rooms.append(_room(tab, about, element, place))
    if not debates:
        raise SourceUnreadable(
            f"ingestion: {shown_as} has no debates; export the tournament once rooms are drawn"
        )
    return rooms


def _root(content: bytes, shown_as: str) -> Element:
    try:
        root: Element = ElementTree.fromstring(content, forbid_dtd=True)
    except DefusedXmlException as error:
        raise SourceUnreadable(
            f"ingestion: {shown_as} has a document type or entities ({type(error).__name__}), "
            "which are not read; export it again, or take the DOCTYPE out"
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise SourceUnreadable(
            f"ingestion: {shown_as} is no XML that can be read ({str(error)[:120]}); export it "
            "again"
        ) from None
    if root.tag != "tournament":
        raise SourceUnreadable(
            f"ingestion: {shown_as} is a document of <{root.tag[:60]}>; expected <tournament>, as "
            "DebateXML has it"
        )
    return root


@dataclass(frozen=True)
class _Tab:
    """What debates refer to, by id."""

    name: str | None
    prefix: str
    teams: dict[str, Element]
    speakers: dict[str, str | None]
    adjudicators: dict[str, str | None]
    venues: dict[str, str | None]
    motions: dict[str, Element]

    @classmethod
    def of(cls, root: Element, shown_as: str) -> _Tab:
        short = unicodedata.normalize("NFC", root.get("short") or root.get("name") or "")

        def by_id(tag: str) -> dict[str, Element]:
            return _by_id(root, tag, shown_as)

        return cls(
            name_of(root.get("name")),
            _NO_ID.sub("-", short.strip()).strip("-")[:60] or "tournament",
            by_id("team"),
            {key: name_of(each.text) for key, each in by_id("speaker").items()},
            {key: name_of(each.get("name")) for key, each in by_id("adjudicator").items()},
            {key: name_of(each.text) for key, each in by_id("venue").items()},
            by_id("motion"),
        )


def _by_id(root: Element, tag: str, shown_as: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for each in root.iter(tag):
        if (key := each.get("id")) is None:
            continue
        first = found.setdefault(key, each)
        if (first.attrib, first.text) != (each.attrib, each.text):
            raise SourceUnreadable(
                f"ingestion: {shown_as} has two of <{tag}> with the id {shown(key)}, and what "
                "names it may mean either; export it again, or give one of them another id"
            )
    return found


def _room(tab: _Tab, about: Element, element: Element, place: str) -> Room:
    identity = element.get("id") or ""
    if not _ID.fullmatch(identity):
        raise BrokenRecord("id", f"should be letters and digits; found {shown(identity)}")
    sides = element.findall("side")
    if len(sides) != len(HOUSES):
        raise BrokenRecord("side", f"should be there four times; found {len(sides)}")
    named = dict(zip(HOUSES, sides, strict=True))
    is_forfeited = any(_truth(side.get("forfeit")) for side in sides)
    panel = (element.get("adjudicators") or "").split()
    chair = element.get("chair")
    motion = tab.motions.get(element.get("motion") or "")
    round_name, room = name_of(about.get("name")), tab.venues.get(element.get("venue") or "")
    slide = motion.find("info-slide") if motion is not None else None
    tail = (slide.tail or "") if slide is not None else ""
    return Room(
        identity=f"{tab.prefix}/{identity}",
        place=place,
        teams={house: _team(tab, side) for house, side in named.items()},
        tournament=tab.name,
        round=round_name,
        room=room,
        names=names_of(tab.name, (round_name, name_of(about.get("abbreviation"))), room),
        # The slide stands between the motion's words where the exporter puts it first.
        motion=plain_text((motion.text or "") + tail) if motion is not None else None,
        info_slide=plain_text("".join(slide.itertext())) if slide is not None else None,
        panel=[
            Seat(each, tab.adjudicators.get(each), each == chair if chair else None)
            for each in dict.fromkeys(panel)
        ],
        sheets=() if is_forfeited else _sheets(tab, named),
        result_problem=FORFEITED if is_forfeited else None,
        start_date=day_of(about.get("start")),
        extra={
            "motion_reference": name_of(motion.get("reference")) if motion is not None else None,
            "is_elimination": _truth(about.get("elimination")),
        },
    )


def _team(tab: _Tab, side: Element) -> Team:
    about = tab.teams.get(side.get("team") or "")
    if about is None:
        return Team()
    return Team(name_of(about.get("name")) or name_of(about.get("code")))


def _sheets(tab: _Tab, sides: dict[House, Element]) -> list[Sheet]:
    """Return the sheets of a debate: the panel's, or one for each who voted."""
    lines: dict[str | None, dict[House, HouseLine]] = {}
    about: dict[str | None, Element] = {}
    for house, side in sides.items():
        speeches = side.findall("speech")
        if any(_truth(each.get("reply")) for each in speeches):
            raise BrokenRecord("speech", f"{house.upper()} has a reply speech, which no house has")
        if len(speeches) not in (0, 2):
            raise BrokenRecord("speech", f"{house.upper()} has {len(speeches)} speeches, not two")
        teams = _ballots(side)
        scores = [_ballots(each) for each in speeches]
        whose = [each.adjudicator for each in teams]
        whose += [each.adjudicator for score in scores for each in score]
        for adjudicator in dict.fromkeys(whose):
            own = _of(teams, adjudicator)
            text = (own.text or "").strip() if own is not None else ""
            line = HouseLine(
                speeches=[
                    SpeechLine(
                        tab.speakers.get(speech.get("speaker") or ""), _score(score, adjudicator)
                    )
                    for speech, score in zip(speeches, scores, strict=True)
                ]
                if any(_of(score, adjudicator) is not None for score in scores)
                else (),
                rank=_value(own.get("rank")) if own is not None else None,
                total=_value(text),
                is_winner=_truth(text) if not _NUMBER.fullmatch(text) else None,
            )
            lines.setdefault(adjudicator, {})[house] = line
            if own is not None:
                about.setdefault(adjudicator, own)
    uneven = [each for each, own in lines.items() if len(own) != len(HOUSES)]
    if uneven:
        who = ", ".join(str(each or "the panel") for each in uneven)
        raise BrokenRecord("ballot", f"{who} has ballots for some of the sides alone")
    return [
        Sheet(
            own,
            adjudicator,
            is_ignored=bool(_said(about, adjudicator, "ignored")),
            extra={"is_minority": _said(about, adjudicator, "minority")},
        )
        for adjudicator, own in sorted(lines.items(), key=lambda each: each[0] or "")
    ]


def _ballots(element: Element) -> list[_Ballot]:
    """Return an element's ballots, each adjudicator's own; a single one is the panel's."""
    found = element.findall("ballot")
    if len(found) == 1:
        return [_Ballot(_PANEL, found[0])]
    whose = [(ballot.get("adjudicators") or "").split() for ballot in found]
    if not all(whose):
        raise BrokenRecord("ballot", f"one of {len(found)} for one place names no adjudicator")
    ballots = [
        _Ballot(each, ballot) for ballot, own in zip(found, whose, strict=True) for each in own
    ]
    twice = [
        each for each, count in Counter(one.adjudicator for one in ballots).items() if count > 1
    ]
    if twice:
        raise BrokenRecord("ballot", f"{twice[0]} has more than one ballot for one place")
    return ballots


def _of(ballots: Sequence[_Ballot], adjudicator: str | None) -> Element | None:
    return next((each.element for each in ballots if each.adjudicator == adjudicator), None)


def _score(ballots: Sequence[_Ballot], adjudicator: str | None) -> Any:
    own = _of(ballots, adjudicator)
    return None if own is None else _value((own.text or "").strip())


def _value(text: str | None) -> Any:
    """Return a number's value; other text as it is, for messages; None for none."""
    text = (text or "").strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    return text if text and _truth(text) is None and text != "None" else None


def _truth(text: str | None) -> bool | None:
    return _TRUTHS.get((text or "").strip().casefold())


def _said(about: dict[str | None, Element], adjudicator: str | None, name: str) -> bool | None:
    own = about.get(adjudicator)
    return _truth(own.get(name)) if own is not None else None
