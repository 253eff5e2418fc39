"""What any tab says of one room: teams, panel and sheets, before it becomes a debate to load.

A transcript has a tag per speech, `<PM>` to `</PM>`. Nothing is guessed: one whose tags are not
those of the eight speeches, once each and in their order, says what is wrong with it, and what
could be read is kept.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from ingestion.errors import SourceUnreadable
from ingestion.parliamentary.batch import speech_of
from ingestion.sources.csv_cells import id_text
from warehouse.records.bp import ROLES, House
from warehouse.records.core import Speech

FORFEITED = "a team forfeited, so nobody judged eight speeches"
_NAME_CHARS = 300
# A tag or a comment. Neither reaches over the next angle bracket, so that no text takes longer than
# its length: the library's parser needs minutes for 100 kB of unclosed tags.
_TAG = re.compile(r"<(?:(/?)([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])[^<>]*|!--[^<>]*--)>")
_LINES = frozenset({"br", "p", "div", "li", "ul", "ol", "tr", "h1", "h2", "h3", "h4"})
_SILENT = frozenset({"script", "style"})
_GAPS = re.compile(r"\n{3,}")
# The longest of an hour's debates has some three hundred thousand characters.
MAX_BYTES = 8 << 20
_SPEECH_TAG = re.compile(rf"<\s*(/?)\s*({'|'.join(ROLES)})\s*>", re.IGNORECASE)
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class SpeechLine:
    """One speech on a sheet: who gave it, its score as the tab has it, and whether it counts."""

    speaker: str | None = None
    score: Any = None
    is_ghost: bool | None = None


@dataclass(frozen=True)
class HouseLine:
    """One house on a sheet, its cells as the tab has them.

    Attributes:
        speeches: Its two speeches in order; none where the sheet has no scores.
        points: Three for the best to none.
        is_winner: Whether it won or goes on, of a sheet that may say no more.
    """

    speeches: Sequence[SpeechLine] = ()
    points: Any = None
    total: Any = None
    is_winner: bool | None = None


@dataclass(frozen=True)
class Sheet:
    """What one adjudicator wrote down, or the panel together.

    Attributes:
        adjudicator: Whose it is; None for the panel's.
    """

    houses: Mapping[House, HouseLine]
    adjudicator: str | None = None


@dataclass(frozen=True)
class Team:
    """Who speaks for a house."""

    name: str | None = None
    is_swing: bool | None = None


@dataclass(frozen=True)
class Seat:
    """A seat on the panel; `identity` is the tab's own."""

    identity: str
    name: str | None = None
    is_chair: bool | None = None
    is_trainee: bool | None = None


@dataclass(frozen=True)
class Room:
    """One room of one round, as a tab has it.

    Attributes:
        identity: The tab's own id, with the tournament's.
        names: Other names a transcript of it may go by.
        sheets: Their sheets, of the one ballot that counts.
        result_problem: Why there is not one result, where the tab shows it.
    """

    identity: str
    place: str
    teams: Mapping[House, Team]
    tournament: str | None = None
    round: str | None = None
    room: str | None = None
    names: Sequence[str] = ()
    motion: str | None = None
    info_slide: str | None = None
    panel: Sequence[Seat] = ()
    sheets: Sequence[Sheet] = ()
    result_problem: str | None = None
    start_date: date | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def name_of(value: Any) -> str | None:
    """Return a name as records take it: one line, white space runs as one; None where blank."""
    text = id_text(value)
    if text is None:
        return None
    kept = "".join(mark if mark.isprintable() else " " for mark in text)
    return " ".join(kept.split())[:_NAME_CHARS].strip() or None


def names_of(tournament: str | None, rounds: Iterable[str | None], room: str | None) -> list[str]:
    """Return what a transcript of a room may be called: round and room, tournament first or not."""
    return [
        name
        for each in rounds
        if each and room
        for name in (f"{each} {room}", f"{tournament or ''} {each} {room}")
    ]


def day_of(value: Any) -> date | None:
    """Return the day of an ISO 8601 time; None where it is none."""
    try:
        return datetime.fromisoformat(str(value)).date()
    except ValueError:
        return None


def plain_text(value: Any) -> str | None:
    """Return a motion or info slide without its HTML, which editors of tabs put in.

    Paragraphs, line breaks and list items stay lines. What is no markup stays as it is.
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


@dataclass(frozen=True)
class TaggedSpeech:
    """One speech of a transcript: its role and what stands between its tags."""

    role: str
    text: str


@dataclass(frozen=True)
class TaggedTranscript:
    """What a transcript holds.

    Attributes:
        speeches: The speeches in the order of the file, each role at most once, none empty.
        problem: Why they are not the eight of a debate; None when they are.
        stray_words: Words outside all tags, which belong to no speech.
    """

    speeches: Sequence[TaggedSpeech]
    problem: str | None
    stray_words: int = 0

    def as_speeches(self, of: Mapping[str, Any], source: str) -> list[Speech]:
        """Return the speeches as rows of the debate `of` names; `source` made the transcript."""
        return [
            speech_of(of, place, speech.role, source=source, text=speech.text)
            for place, speech in enumerate(self.speeches, start=1)
        ]


def title_key(title: str) -> str:
    """Return what spellings of one title have in common: its letters and digits, in small."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return " ".join(_NO_WORD.sub(" ", folded).split())


def transcript_text(content: bytes, shown: str) -> str:
    """Return a transcript's text.

    Raises:
        SourceUnreadable: It is too large, or not UTF-8.
    """
    if len(content) > MAX_BYTES:
        raise SourceUnreadable(
            f"ingestion: {shown} has more than {MAX_BYTES >> 20} MiB; expected the transcript of "
            "one debate: split it"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceUnreadable(
            f"ingestion: {shown} is not UTF-8 (byte {error.start}); save it as UTF-8"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_tagged(text: str) -> TaggedTranscript:
    """Return the speeches of a tagged transcript, and what is wrong with it.

    Tags are read in any case. Of a role tagged twice the first speech is kept. A speech that is not
    closed ends where the next begins.
    """
    found: dict[str, str] = {}
    problems: list[str] = []
    stray = start = 0
    opened: str | None = None

    def close(end: int) -> None:
        nonlocal opened
        role, opened = opened, None
        spoken = text[start:end].strip()
        if role is None:
            return
        if role in found:
            problems.append(f"{role.upper()} is tagged twice")
        elif not spoken:
            problems.append(f"{role.upper()} has no text")
        else:
            found[role] = spoken

    for tag in _SPEECH_TAG.finditer(text):
        is_end, role = bool(tag[1]), tag[2].lower()
        if opened is None:
            stray += len(text[start : tag.start()].split())
            if is_end:
                problems.append(f"{role.upper()} is closed and not open")
        elif is_end and role == opened:
            close(tag.start())
        elif is_end:
            problems.append(f"{opened.upper()} is closed as {role.upper()}")
            close(tag.start())
        else:
            problems.append(f"{opened.upper()} is not closed before {role.upper()}")
            close(tag.start())
        if not is_end:
            opened = role
        start = tag.end()
    if opened is None:
        stray += len(text[start:].split())
    else:
        problems.append(f"{opened.upper()} is not closed")
        close(len(text))
    problems += _against_the_roles(list(found))
    speeches = [TaggedSpeech(role, spoken) for role, spoken in found.items()]
    return TaggedTranscript(speeches, "; ".join(problems) or None, stray)


def _against_the_roles(roles: Sequence[str]) -> list[str]:
    """Say which of the eight speeches are missing, and which stand in the wrong place."""
    problems = []
    if lacking := [role.upper() for role in ROLES if role not in roles]:
        problems.append(f"no speech of {', '.join(lacking)}")
    order = [role for role in ROLES if role in roles]
    if list(roles) != order:
        problems.append(f"out of order: {', '.join(role.upper() for role in roles)}")
    return problems
