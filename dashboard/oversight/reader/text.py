"""Turns and stories as Markdown: quotes marked, and linked to their place in the story.

Debaters and judges write what they like. Every word of theirs is escaped; the marks around them
are the only Markdown.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from dashboard.core.labels import escape_markdown

Kind = Literal["said", "verified", "unverified"]
VERIFIED_MARK, UNVERIFIED_MARK = "✓", "✗"
LEGEND = (
    f":green-background[“in quotation marks” {VERIFIED_MARK}] stands in the story, word for word "
    f"but for case and punctuation; :orange-background[“in quotation marks” {UNVERIFIED_MARK} *not "
    "in the story*] does not."
)
# What the judge is shown; in debates between people the interface itself copied the quote.
_QUOTE = re.compile(r"<(v_quote|u_quote|quote)>(.*?)</\1>", re.DOTALL)
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")


class Piece(NamedTuple):
    """A stretch of a turn.

    Attributes:
        kind: Whether it is quoted, and whether that stands in the story.
        text: The words.
    """

    kind: Kind
    text: str


class Place(NamedTuple):
    """Where a quote stands in the story.

    Attributes:
        start: First letter, from 0.
        end: The letter after the last.
        turn: Which turn quotes it.
    """

    start: int
    end: int
    turn: int


class Passage(NamedTuple):
    """A stretch of the story that is quoted, once however many quotes share it.

    Attributes:
        number: From 1, in reading order.
        start: First letter, from 0.
        end: The letter after the last.
        turns: Which turns quote from it.
    """

    number: int
    start: int
    end: int
    turns: tuple[int, ...]


def pieces(text: str) -> list[Piece]:
    """Return a turn as what is said and what is quoted, in order; a stray tag is left as text."""
    found: list[Piece] = []
    at = 0
    for match in _QUOTE.finditer(text):
        if match.start() > at:
            found.append(Piece("said", text[at : match.start()]))
        found.append(Piece("unverified" if match[1] == "u_quote" else "verified", match[2]))
        at = match.end()
    if at < len(text):
        found.append(Piece("said", text[at:]))
    return found


def turn_markdown(text: str, passages: Mapping[int, int]) -> str:
    """Return a turn as Markdown.

    Args:
        text: What was said, with the tags the judge was shown.
        passages: For each quote of the turn, from 0, the number of its passage in the story shown
            below; quotes without one are marked, not linked.
    """
    parts: list[str] = []
    quotes = 0
    for piece in pieces(text):
        if piece.kind == "said":
            # An escaped paragraph cannot begin a list or a heading; blank lines between them stay.
            parts.append("\n\n".join(_spaced(one) for one in _PARAGRAPH.split(piece.text)))
            continue
        words = f"“{escape_markdown(piece.text)}”"
        if piece.kind == "unverified":
            parts.append(f":orange-background[{words} {UNVERIFIED_MARK} *not in the story*]")
        else:
            passage = passages.get(quotes)
            marked = f"{words} {VERIFIED_MARK}"
            if passage is not None:
                marked = f"[{marked} passage {passage}](#{anchor(passage)})"
            parts.append(f":green-background[{marked}]")
        quotes += 1
    return "".join(parts).strip()


def _spaced(text: str) -> str:
    """Escape text and keep a space at either end, where a quote may stand beside it."""
    if not text.strip():
        return " " if text else ""
    before, after = " " * text[0].isspace(), " " * text[-1].isspace()
    return f"{before}{escape_markdown(text)}{after}"


def passages_of(places: Sequence[Place]) -> list[Passage]:
    """Return the quoted stretches of the story in reading order; what overlaps becomes one."""
    merged: list[tuple[int, int, set[int]]] = []
    for place in sorted(places):
        if merged and place.start < merged[-1][1]:
            start, end, turns = merged[-1]
            merged[-1] = (start, max(end, place.end), turns | {place.turn})
        else:
            merged.append((place.start, place.end, {place.turn}))
    return [
        Passage(number, start, end, tuple(sorted(turns)))
        for number, (start, end, turns) in enumerate(merged, start=1)
    ]


def passage_at(passages: Sequence[Passage], start: int) -> int | None:
    """Return the number of the passage in which a quote begins."""
    return next((one.number for one in passages if one.start <= start < one.end), None)


def anchor(passage: int) -> str:
    """Return the address of a passage on the page: its heading's words, as the browser has them."""
    return f"passage-{passage}"


def story_markdown(story: str, passages: Sequence[Passage]) -> str:
    """Return the story as Markdown, its quoted passages marked below a heading to jump to.

    Args:
        story: Its text.
        passages: From `passages_of`, with places inside the story.
    """
    parts: list[str] = []
    start, headed = 0, 0
    ends = [match.span() for match in _PARAGRAPH.finditer(story)] + [(len(story), len(story))]
    for end, following in ends:
        inside = [one for one in passages if one.start < end and one.end > start]
        parts += [f"###### Passage {one.number}" for one in inside if one.number > headed]
        headed = max([headed, *(one.number for one in inside)])
        parts.append(_marked(story, start, end, inside))
        start = following
    return "\n\n".join(part for part in parts if part)


def _marked(story: str, start: int, end: int, inside: Sequence[Passage]) -> str:
    words: list[str] = []
    at = start
    for one in inside:
        first, last = max(one.start, start), min(one.end, end)
        words.append(_spaced(story[at:first]))
        words.append(f":green-background[**{escape_markdown(story[first:last])}**]")
        at = last
    words.append(_spaced(story[at:end]))
    return "".join(words).strip()
