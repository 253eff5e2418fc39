"""What any tab says of one room: teams, panel and sheets, before it becomes a debate to load."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from ingestion.sources.cells import id_text
from warehouse.records.core import House, Role

# The two speeches of each house, in the order in which it gives them.
ROLES_OF: Mapping[House, tuple[Role, Role]] = {
    "og": ("pm", "dpm"),
    "oo": ("lo", "dlo"),
    "cg": ("mg", "gw"),
    "co": ("mo", "ow"),
}
TAB_HOUSES: tuple[House, ...] = ("og", "oo", "cg", "co")
FORFEITED = "a team forfeited, so nobody judged eight speeches"
_NAME_CHARS = 300
# A tag or a comment. Neither reaches over the next angle bracket, so that no text takes longer than
# its length: the library's parser needs minutes for 100 kB of unclosed tags.
_TAG = re.compile(r"<(?:(/?)([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>])[^<>]*|!--[^<>]*--)>")
_LINES = frozenset({"br", "p", "div", "li", "ul", "ol", "tr", "h1", "h2", "h3", "h4"})
_SILENT = frozenset({"script", "style"})
_GAPS = re.compile(r"\n{3,}")


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
        rank: From 1, the best.
        points: Three for the best to none.
        is_winner: Whether it won or goes on, of a sheet that may say no more.
    """

    speeches: Sequence[SpeechLine] = ()
    rank: Any = None
    points: Any = None
    total: Any = None
    is_winner: bool | None = None


@dataclass(frozen=True)
class Sheet:
    """What one adjudicator wrote down, or the panel together.

    Attributes:
        adjudicator: Whose it is; None for the panel's.
        is_ignored: Whether the tab leaves it out of the panel's result.
    """

    houses: Mapping[House, HouseLine]
    adjudicator: str | None = None
    is_ignored: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Team:
    """Who speaks for a house."""

    name: str | None = None
    is_swing: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


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
