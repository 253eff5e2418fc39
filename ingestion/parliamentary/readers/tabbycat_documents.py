"""The documents of a Tabbycat tournament, by their path below it in the API, as models.

Two layouts are read: a folder or archive of `rounds.json`, `rounds/1/pairings.json` and so on, at
any depth; and one JSON file whose keys are those paths without `.json`. A list in pages is
`rounds.json`, `rounds.page-2.json` and so on. Addresses inside the documents are read as ids of
teams, speakers and so on, and never fetched.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, StrictBool

from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed
from ingestion.parliamentary.files import SmallFiles
from ingestion.parliamentary.tagged import name_of
from ingestion.reading import OR_NONE
from ingestion.sources.csv_cells import id_text, shown

_PAGE = re.compile(r"(?P<path>.+?)(?:\.page-(?P<page>\d{1,4}))?\.json", re.IGNORECASE)
_KEY = re.compile(r"/[a-z-]+/(\d+)/?$")
# A tag or a comment. Neither reaches over the next angle bracket, so that no text takes longer than
# its length: the library's parser needs minutes for 100 kB of unclosed tags.
_TAG = re.compile(r"<(?:(/?)([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])[^<>]*|!--[^<>]*--)>")
_LINES = frozenset({"br", "p", "div", "li", "ul", "ol", "tr", "h1", "h2", "h3", "h4"})
_SILENT = frozenset({"script", "style"})
_GAPS = re.compile(r"\n{3,}")


def key_of(value: Any) -> str | None:
    """Return the id that an address ends with, or that is given itself."""
    found = _KEY.search(value) if isinstance(value, str) else None
    return found[1] if found else id_text(value)


def _objects(value: Any) -> list[Any]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _round_keys(value: Any) -> list[str | None]:
    listed = value if isinstance(value, list) else []
    return [key_of(each.get("round") if isinstance(each, dict) else each) for each in listed]


def day_of(value: Any) -> date | None:
    """Return the day of an ISO 8601 time; None where it is none."""
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


def plain_text(value: Any) -> str | None:
    """Return a motion or info slide without its HTML, which editors of tabs put in.

    Paragraphs, line breaks and list items stay lines. Angle brackets of other uses stay.
    """
    if not isinstance(value, str):
        return None
    parts: list[str] = []
    start, silent = 0, ""
    for tag in _TAG.finditer(value):
        if not silent:
            parts.append(html.unescape(value[start : tag.start()]))
        start, is_end, name = tag.end(), bool(tag[1]), (tag[2] or "").lower()
        if silent:
            silent = "" if is_end and name == silent else silent
        elif name in _SILENT and not is_end:
            silent = name
        elif name == "li" and not is_end:
            parts.append("\n- ")
        elif name in _LINES and not (is_end and name in ("br", "li")):
            parts.append("\n")
    if not silent:
        parts.append(html.unescape(value[start:]))
    lines = [" ".join(line.split()) for line in "".join(parts).splitlines()]
    return _GAPS.sub("\n\n", "\n".join(lines)).strip() or None


# OR_NONE comes last, so that it applies to the text that is made: half a surrogate pair is none.
Id = Annotated[str | None, BeforeValidator(id_text), OR_NONE]
Key = Annotated[str | None, BeforeValidator(key_of), OR_NONE]
Text = Annotated[str | None, BeforeValidator(name_of), OR_NONE]
Flag = Annotated[StrictBool | None, OR_NONE]


class Document(BaseModel):
    """An object of the API. A field is never required; most of another type count as missing."""

    id: Id = None
    url: Annotated[str | None, OR_NONE] = None

    @property
    def key(self) -> str | None:
        """Its id, or that of its address."""
        found = _KEY.search(self.url or "")
        return self.id or (found[1] if found else None)


Doc = TypeVar("Doc", bound=Document)


class Entry(Document):
    """A tournament, team, speaker, adjudicator or venue: each has some of these fields."""

    slug: Id = None
    name: Text = None
    short_name: Text = None
    long_name: Text = None
    display_name: Text = None
    reference: Text = None
    anonymous: Any = None
    type: Annotated[str | None, OR_NONE] = None
    speakers: Annotated[list[Entry], BeforeValidator(_objects)] = []


class Motion(Document):
    """A motion, and the ids of its rounds."""

    text: Any = None
    info_slide: Any = None
    info_slide_plain: Any = None
    reference: Text = None
    rounds: Annotated[list[str | None], BeforeValidator(_round_keys)] = []


class Round(Document):
    """A round, and the motions inside it, if any."""

    seq: Id = None
    name: Text = None
    abbreviation: Text = None
    stage: Text = None
    starts_at: Annotated[date | None, BeforeValidator(day_of)] = None
    motions: Annotated[list[Motion], BeforeValidator(_objects)] = []


class Speech(BaseModel):
    """A speech on a sheet."""

    speaker: Key = None
    score: Any = None
    ghost: Flag = None


class Line(BaseModel):
    """A team of the draw, or on a sheet."""

    side: Any = None
    team: Key = None
    points: Any = None
    score: Any = None
    win: Flag = None
    speeches: Annotated[list[Speech], BeforeValidator(lambda value: value or [])] = []


class Panel(BaseModel):
    """The adjudicators of a room: an address, or a list of addresses, each."""

    chair: Any = None
    panellists: Any = None
    trainees: Any = None


class Pairing(Document):
    """A room of the draw."""

    venue: Key = None
    teams: Annotated[list[Line] | None, OR_NONE] = None
    adjudicators: Annotated[Panel | None, OR_NONE] = None


class Ballot(Document):
    """A ballot as it lies there; its result is read once it counts."""

    confirmed: Any = None
    discarded: Any = None
    forfeit: Any = None
    version: Any = None
    motion: Any = None
    result: Any = None


class BallotSheet(BaseModel):
    """The sheet of one adjudicator, or of the panel."""

    adjudicator: Key = None
    teams: list[Line]


class BallotResult(BaseModel):
    """The result of a ballot."""

    sheets: list[BallotSheet]


class CountedBallot(BaseModel):
    """The part of a ballot that is read once the ballot counts."""

    result: BallotResult


@dataclass(frozen=True)
class Export:
    """The documents of one tournament: lists by their path in the API."""

    landed: Landed
    tournament: Entry
    lists: Mapping[str, list[Any]]

    def objects(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a list; a list that is not there has none.

        Raises:
            SourceUnreadable: An entry is no object.
        """
        for place, each in enumerate(self.lists.get(path, [])):
            if not isinstance(each, dict):
                raise SourceUnreadable(
                    f"ingestion: {self.landed.shown}, {path}[{place}] should be an object; found "
                    f"{shown(each)}: fetch that document again"
                )
            yield each

    def documents(self, path: str, model: type[Doc]) -> list[Doc]:
        """Return the objects of a list as models."""
        return [model.model_validate(each) for each in self.objects(path)]


def read_export(found: SmallFiles) -> Export:
    """Return the documents of a saved tournament.

    Raises:
        SourceUnreadable: It has no list of rounds and teams, or a document is no JSON list.
    """
    at = found.landed.shown
    documents = _documents(found)
    # Without these there is no debate to read.
    lacking = [name for name in ("rounds", "teams") if name not in documents]
    if lacking:
        raise SourceUnreadable(
            f"ingestion: {at} has no {' and no '.join(lacking)}; it has {found.names}: expected "
            "the tournament's documents by their paths in the API, such as rounds.json and "
            "rounds/1/pairings.json, or one file with these paths as keys"
        )
    about = documents.pop("tournament", None)
    if isinstance(about, list):
        about = about[0] if len(about) == 1 else None
    tournament = Entry.model_validate(about if isinstance(about, dict) else {})
    lists = {path: _list(value, path, at) for path, value in documents.items()}
    return Export(found.landed, tournament, lists)


def _documents(found: SmallFiles) -> dict[str, Any]:
    at = found.landed.shown
    if len(found.files) == 1:
        ((name, content),) = found.files.items()
        value = _parse_json(content, f"{at} ({name})")
        if isinstance(value, dict) and "rounds" in value:
            return {path.strip("/"): each for path, each in value.items()}
    pages: dict[str, dict[int, bytes]] = {}
    for name, content in found.files.items():
        matched = _PAGE.fullmatch(name)
        # A single file may have any name, and a member of an archive one of several lines.
        path, page = (matched["path"], matched["page"]) if matched else (name, None)
        pages.setdefault(path.removesuffix("/index"), {})[int(page or 1)] = content
    roots = [path.removesuffix("rounds") for path in pages if f"/{path}".endswith("/rounds")]
    root = min(roots, key=lambda each: (each.count("/"), each), default="")
    documents: dict[str, Any] = {}
    for path, own in pages.items():
        # Outside the root lie other tournaments, or the API's own root.
        if path.startswith(root):
            documents[path.removeprefix(root)] = _joined(own, path, at)
        elif path == root.rstrip("/"):
            documents["tournament"] = _joined(own, path, at)
    return documents


def _joined(pages: Mapping[int, bytes], path: str, at: str) -> Any:
    """Return a document's value; the pages of a list one after another."""
    values = [_parse_json(pages[page], f"{at} ({path})") for page in sorted(pages)]
    last = values[-1]
    is_cut = isinstance(last, dict) and "results" in last and last.get("next")
    if is_cut or sorted(pages) != list(range(1, len(pages) + 1)):
        raise SourceUnreadable(
            f"ingestion: {at} has {path} in pages, of which some are missing; save the rest as "
            f"{path}.page-2.json and so on, or fetch it with a larger limit"
        )
    if len(values) == 1:
        return last
    return [each for value in values for each in _list(value, path, at)]


def _list(value: Any, path: str, at: str) -> list[Any]:
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        value = value["results"]
    if not isinstance(value, list):
        raise SourceUnreadable(
            f"ingestion: {at} has {path}, which should be a list; found {shown(value)}: fetch "
            "that document again"
        )
    return value


def _parse_json(content: bytes, place: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON number")

    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        why = "is nested too deep" if isinstance(error, RecursionError) else f"is no JSON ({error})"
        raise SourceUnreadable(f"ingestion: {place} {why[:200]}; fetch it again") from None


def by_key(documents: Iterable[Doc]) -> dict[str, Doc]:
    """Return documents by their id; the last of one id, and none without."""
    return {each.key: each for each in documents if each.key is not None}
