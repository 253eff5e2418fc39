"""Source `panelbench`: the British Parliamentary debates of PanelBench, as Debatrix releases them.

`motion/bp_<id>.yml` and `speech/bp_<id>.yml` for each debate, and `gold/gold.csv` for the results.
The other half of the release, DebateArt, has two sides and is not read.

Nothing says what the columns of the results are, so they are looked for. Taken are a column that
names the debate, and one of: a rank of each house (`og_rank` ...), points or a score of each
(`og_score` ..., more is better), the houses in order (`first` ... `fourth`), or the winner
(`winner`, or a 0 or 1 for each house). Anything else is refused with the columns found: four bare
numbers could as well be ranks as scores.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final

import yaml

from ingestion.errors import SourceUnreadable
from ingestion.oversight.reading import BrokenRecord, Reading
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers.tabs.batch import Transcripts, batch_of
from ingestion.parliamentary.readers.tabs.files import SmallFiles, read_small_files
from ingestion.parliamentary.readers.tabs.rooms import (
    HouseLine,
    Room,
    Sheet,
    TaggedSpeech,
    TaggedTranscript,
    Team,
    name_of,
    plain_text,
    title_key,
)
from ingestion.parliamentary.settings import TabSettings
from ingestion.parliamentary.sources.panelbench import URL
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES, ROLES_OF, SPOKEN_NAMES, House
from warehouse.records.core import Dataset

_IDS = ("id", "debate", "debate id", "debate name", "motion id", "name", "index", "")
_PLACES = ("first", "second", "third", "fourth")
_WINNER = ("winner", "winners", "gold", "verdict")
_RANKS, _SCORES = ("rank", "ranking", "place", "position"), ("score", "scores", "points")
_HOUSES: Mapping[str, House] = {
    "og": "og",
    "oo": "oo",
    "cg": "cg",
    "co": "co",
    "opening government": "og",
    "opening opposition": "oo",
    "closing government": "cg",
    "closing opposition": "co",
}
_SPLIT = re.compile(r"[,;/|&+]| and ")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_NO_RESULT = "the file of results has no row for it"
_Lines = Mapping[House, HouseLine]
NAME = "panelbench"
DATASET = Dataset(
    dataset_id=NAME,
    title="PanelBench: British Parliamentary competition debates",
    licence="Not stated for the data; the repository is under the MIT licence",
    citation="Liang et al., Debatrix: Multi-dimensional Debate Judge with Iterative Chronological "
    "Analysis Based on LLM, 2024",
    url=URL,
)
SUFFIXES: Final = (".yml", ".yaml", ".csv")
_GOLD = "gold.csv"
_ID = re.compile(r"bp_[\w-]{1,60}", re.ASCII | re.IGNORECASE)
# The transcript of an hour has some 60 kB.
_MAX_YAML = 4 << 20


def open_panelbench(home: Home, location: str, settings: TabSettings) -> ParliamentaryBatch:
    """Return the debates of the release.

    Raises:
        SourceUnreadable: It has no British Parliamentary debate, or results in unknown columns.
    """
    dataset = settings.named(DATASET)
    found = read_small_files(home, location, dataset, SUFFIXES)
    reading = Reading(found.landed.shown)
    gold = Gold()
    if (name := gold_file(found)) is None:
        reading.note("no gold/gold.csv: no debate has a result")
    else:
        gold = read_gold(found.files[name], f"{found.landed.shown} ({name})")
    rooms, said = read_rooms(found, gold, dataset.dataset_id, reading)
    return batch_of(
        home, dataset, rooms, reading, found.landed, motions=settings.motions, found=said
    )


def house_named(name: str) -> House | None:
    """Return the house of a name such as `og` or `Opening Government`; None for any other."""
    return _HOUSES.get(title_key(name))


@dataclass(frozen=True)
class Gold:
    """Results by debate; for a debate with several rows that differ, none."""

    rows: Mapping[str, Sequence[_Lines]] = field(default_factory=dict)

    def of(self, identity: str) -> tuple[_Lines | None, str | None]:
        """Return what a debate's houses were given, or why that is not known."""
        own = self.rows.get(identity, [])
        if not own:
            return None, _NO_RESULT
        if any(each != own[0] for each in own):
            return None, f"{len(own)} rows of results are of this debate, and differ"
        return own[0], None

    def beyond(self, identities: Iterable[str]) -> list[str]:
        """Return the debates that have a result and are none of these."""
        return sorted(set(self.rows) - set(identities))


def read_gold(content: bytes, shown: str) -> Gold:
    """Read the file of results.

    Raises:
        SourceUnreadable: It is no CSV, or its columns are none that are known.
    """
    try:
        table = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceUnreadable(f"ingestion: {shown} is no CSV file ({error})") from error
    header = [title_key(name) for name in table[0]] if table else []
    body = [row for row in table[1:] if any(cell.strip() for cell in row)]
    identity = next((header.index(name) for name in _IDS if name in header), None)
    reader = _reader(header, body)
    if identity is None or reader is None:
        found = ", ".join(table[0]) if table else "none"
        raise SourceUnreadable(
            f"ingestion: {shown} has the columns {found[:300]}; expected one that names the debate "
            "(id), and og_rank, oo_rank, cg_rank, co_rank (or _score), or first to fourth, or "
            "winner; rename those that are meant in a copy and name its folder with --from"
        )
    rows: dict[str, list[_Lines]] = {}
    for row in body:
        cells = [*row, *[""] * (len(header) - len(row))]
        rows.setdefault(_identity(cells[identity]), []).append(reader(cells))
    return Gold(rows)


def _identity(cell: str) -> str:
    name = cell.strip().casefold().removesuffix(".yml")
    return name if name.startswith("bp_") else f"bp_{name}"


def _reader(header: Sequence[str], body: Sequence[Sequence[str]]) -> _Reader | None:
    for words, is_rank in ((_RANKS, True), (_SCORES, False)):
        places = _columns(header, words)
        if places:
            return _Reader(places, "rank" if is_rank else "score")
    if all(name in header for name in _PLACES):
        return _Reader({name: header.index(name) for name in _PLACES}, "order")
    flags = _columns(header, ("", "win", "winner", "won"))
    if flags and {row[at] for row in body for at in flags.values() if at < len(row)} <= {"0", "1"}:
        return _Reader(flags, "flag")
    winner = next((header.index(name) for name in _WINNER if name in header), None)
    return _Reader({"winner": winner}, "winner") if winner is not None else None


def _columns(header: Sequence[str], words: Sequence[str]) -> dict[str, int]:
    """Return the columns of the four houses that go by these words; empty unless all are there."""
    found: dict[str, int] = {}
    for at, name in enumerate(header):
        for house_name, house in _HOUSES.items():
            if name in {f"{house_name} {word}".strip() for word in words} | {
                f"{word} {house_name}".strip() for word in words
            }:
                found.setdefault(house, at)
    return found if len(found) == len(HOUSES) else {}


@dataclass(frozen=True)
class _Reader:
    """Reads a row's result out of the columns it stands in, in one of the forms."""

    columns: Mapping[str, int]
    form: str

    def __call__(self, cells: Sequence[str]) -> _Lines:
        said = {name: cells[at].strip() for name, at in self.columns.items()}
        if self.form == "order":
            order = {house_named(said[name]): place for place, name in enumerate(_PLACES, start=1)}
            return {house: HouseLine(rank=order.get(house, "")) for house in HOUSES}
        if self.form == "winner":
            won = {house_named(name) for name in _SPLIT.split(said["winner"]) if name.strip()}
            if None in won or not won:
                return {house: HouseLine(rank=said["winner"]) for house in HOUSES}
            return {house: HouseLine(is_winner=house in won) for house in HOUSES}
        if self.form == "flag":
            return {house: HouseLine(is_winner=said[house] == "1") for house in HOUSES}
        values = {house: _value(said[house]) for house in HOUSES}
        if self.form == "rank":
            return {house: HouseLine(rank=values[house]) for house in HOUSES}
        return {house: HouseLine(rank=rank) for house, rank in _by_score(values).items()}


def _value(text: str) -> float | str:
    return float(text) if _NUMBER.fullmatch(text) else text


def _by_score(values: Mapping[House, float | str]) -> dict[House, int | str]:
    """Rank houses by scores, more is better; what is no number, or equal, ranks nobody."""
    numbers = {house: value for house, value in values.items() if isinstance(value, float)}
    if len(set(numbers.values())) != len(HOUSES):
        return {house: f"score {value}" for house, value in values.items()}
    order = sorted(numbers, key=lambda house: -numbers[house])
    return {house: place for place, house in enumerate(order, start=1)}


class _NoAliases(yaml.SafeLoader):  # type: ignore[misc]
    """Reads plain values alone: an alias to an alias to an alias is how YAML explodes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("has an alias (*name), which is not read")
        return super().compose_node(parent, index)


def gold_file(found: SmallFiles) -> str | None:
    """Return the path of the file of results; None where there is none.

    Raises:
        SourceUnreadable: There is no British Parliamentary debate among the files.
    """
    if not any(_debate_of(name, "motion") for name in found.files):
        also = (
            ": DebateArt has two sides a debate and is not British Parliamentary"
            if "debateart" in found.names.casefold() or "dimension.csv" in found.names
            else ""
        )
        raise SourceUnreadable(
            f"ingestion: {found.landed.shown} has no motion/bp_<id>.yml; it has {found.names}"
            f"{also}; name the folder or archive BP-Competition"
        )
    fitting = [name for name in found.files if PurePosixPath(name).name == _GOLD]
    return min(fitting, key=lambda name: (name.count("/"), name)) if fitting else None


def read_rooms(
    found: SmallFiles, gold: Gold, dataset_id: str, reading: Reading
) -> tuple[list[Room], Transcripts]:
    """Return the debates as rooms, with what was said in them."""
    rooms: list[Room] = []
    said = Transcripts(dataset_id)
    speeches, motions = _files_of(found, "speech"), _files_of(found, "motion")
    for identity in sorted(motions.keys() | speeches.keys(), key=_in_order):
        reading.records += 1
        name = spoken = None
        try:
            name = _only(motions.get(identity, []), "motion")
            spoken = _only(speeches.get(identity, []), "speech")
            about = _yaml(found, name) if name else {}
            if not isinstance(about, dict):
                raise BrokenRecord("motion", f"should be an object; found {shown(about)}")
            room = _room(identity, about, gold)
            transcript = _transcript(found, spoken, about)
        except BrokenRecord as broken:
            reading.reject(identity, broken.field, broken.reason, name)
            continue
        rooms.append(room)
        said.of_room[identity] = transcript
        is_judged = bool(room.sheets)
        said.say(
            "matched" if is_judged else "missing",
            "by its number" if is_judged else room.result_problem or "no result",
            spoken,
            result_row=identity if is_judged else None,
            debate_id=f"{dataset_id}:{identity}" if spoken else None,
        )
    for row in gold.beyond({room.identity for room in rooms}):
        said.say("missing", "no debate has this number", None, result_row=name_of(row))
    return rooms, said


def _room(identity: str, about: Mapping[str, Any], gold: Gold) -> Room:
    lines, problem = gold.of(identity)
    return Room(
        identity=identity,
        place=identity,
        teams=dict.fromkeys(("og", "oo", "cg", "co"), Team()),
        names=[],
        motion=plain_text(about.get("motion")),
        info_slide=plain_text(about.get("info_slide")),
        sheets=[Sheet(lines)] if lines else [],
        result_problem=problem,
    )


def _transcript(found: SmallFiles, name: str | None, about: Mapping[str, Any]) -> TaggedTranscript:
    if name is None:
        return TaggedTranscript([], "no transcript")
    listed = _yaml(found, name)
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise BrokenRecord("speech", f"should be a list of speeches; found {shown(listed)}")
    texts = [each.get("content") for each in listed]
    if not all(isinstance(each, str) for each in texts):
        raise BrokenRecord("content", "should be text in every speech")
    roles, problem = _roles([each.get("debater_name") for each in listed], about)
    spoken = {
        role: TaggedSpeech(role, text.strip())
        for role, text in zip(roles, texts, strict=False)
        if role is not None and text.strip()
    }
    return TaggedTranscript(list(spoken.values()), problem)


def _role_named(key: str) -> str | None:
    return key if key in ROLES else SPOKEN_NAMES.get(key.replace(" of the ", " of "))


def _roles(names: Sequence[Any], about: Mapping[str, Any]) -> tuple[list[str | None], str | None]:
    """Return the role of each speech, and why they are not the eight of a debate.

    Debaters are named by role, by house, or by names of their own. Those with names of their own
    have the roles of their places, if the sides of the motion's file take turns as they must.
    """
    keys = [title_key(str(name)) for name in names]
    roles: list[str | None] = [_role_named(key) for key in keys]
    houses = [house for key in keys if (house := house_named(key))]
    if len(houses) == len(keys):
        heard: dict[House, int] = {}
        for place, house in enumerate(houses):
            own = ROLES_OF[house]
            heard[house] = heard.get(house, 0) + 1
            roles[place] = own[heard[house] - 1] if heard[house] <= len(own) else None
    elif any(role is None for role in roles):
        if len(keys) != len(ROLES):
            return roles, f"{len(keys)} speeches of debaters whose roles nobody names"
        sides = [_side_of(key, about) for key in keys]
        if sides != ["pro_side", "con_side"] * 4:
            return roles, "the speeches do not go from side to side as the eight of a debate do"
        roles = list(ROLES)
    if len(set(roles)) != len(roles) or None in roles:
        return roles, "a speech is there twice, or has no role"
    return roles, None


def _side_of(key: str, about: Mapping[str, Any]) -> str | None:
    fitting = [
        side
        for side in ("pro_side", "con_side")
        for each in about.get(side) or []
        if isinstance(each, dict) and title_key(str(each.get("name"))) == key
    ]
    return fitting[0] if len(set(fitting)) == 1 else None


def _yaml(found: SmallFiles, name: str) -> Any:
    content = found.files[name]
    if len(content) > _MAX_YAML:
        raise BrokenRecord(name, f"has more than {_MAX_YAML >> 20} MiB; expected one debate")
    try:
        # A subclass of the safe loader: plain values, no objects.
        return yaml.load(content.decode("utf-8-sig"), _NoAliases)  # noqa: S506
    # A value that is not of the type its tag names, such as `!!bool x`, raises nearly anything.
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
        LookupError,
        AttributeError,
        TypeError,
    ) as error:
        raise BrokenRecord(name, f"is no YAML that can be read ({str(error)[:120]})") from None


def _files_of(found: SmallFiles, kind: str) -> dict[str, list[str]]:
    """Return the files of a kind by their debate, those of the same bytes but once."""
    files: dict[str, dict[bytes, str]] = {}
    for name, content in found.files.items():
        if identity := _debate_of(name, kind):
            files.setdefault(identity, {}).setdefault(content, name)
    return {identity: list(each.values()) for identity, each in files.items()}


def _only(names: Sequence[str], kind: str) -> str | None:
    if len(names) > 1:
        raise BrokenRecord(kind, f"{len(names)} files differ: {', '.join(names)[:200]}; keep one")
    return names[0] if names else None


def _debate_of(name: str, kind: str) -> str | None:
    """Return the debate's id if this is its file of that kind."""
    path = PurePosixPath(name)
    is_one = path.parent.name == kind and path.suffix.casefold() in (".yml", ".yaml")
    return path.stem.casefold() if is_one and _ID.fullmatch(path.stem) else None


def _in_order(identity: str) -> tuple[int, str]:
    number = identity.removeprefix("bp_")
    return (int(number) if number.isdecimal() else 0, identity)
