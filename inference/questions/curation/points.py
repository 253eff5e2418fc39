"""Reading points of view from a reply, and cutting documents to what a model can take.

The reply that is expected, with the printed prompt and with ours:

    Point-of-View 1: what it says [Document [1]]
    Point-of-View 2: what it says [Document [2], Document [3]]

What stands before the first heading is not read. A point of view may run over several lines; it
ends with the numbers of its documents in brackets, which may also be written `[Document 2, 3]` or
`[Document 2][Document 3]`. One that breaks the rules spoils the reply.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inference.questions.chunking import Spans

# Of one document, and of a question's documents together.
TOKENS_EACH = 80_000
TOKENS_TOGETHER = 120_000

_HEADING = re.compile(r"^[ \t]*[*_]*Point-of-View[ \t]+(\d{1,3})[*_]*:[*_]*", re.I | re.M)
_DOCUMENTS = re.compile(r"\[\s*documents?\b(?:documents?|and|[\[\]\d,;&.\s*_])*\Z", re.IGNORECASE)
_OPENING = re.compile(r"\[\s*documents?\b", re.IGNORECASE)
# Addresses and rules drawn with underscores tell nothing.
_CLUTTER = re.compile(r"https?://\S+|_{2,}")


class ParsedPoints(NamedTuple):
    """The points of view in a reply with the numbers of their documents, or why there are none."""

    points: tuple[tuple[str, tuple[int, ...]], ...]
    reason: str | None = None


class Trimmed(NamedTuple):
    """Documents as a prompt shows them, and how many lost more than addresses and lines."""

    texts: tuple[str, ...]
    n_cut: int


def read_points(reply: str, n_documents: int) -> ParsedPoints:
    """Return the points of view in a reply."""
    if not reply.strip():
        return ParsedPoints((), "empty_response")
    headings = list(_HEADING.finditer(reply))
    if not headings:
        return ParsedPoints((), "no_point_of_view")
    ends = [heading.start() for heading in headings[1:]] + [len(reply)]
    found: list[tuple[str, tuple[int, ...]]] = []
    for number, (heading, end) in enumerate(zip(headings, ends, strict=True), start=1):
        if int(heading[1]) != number:
            return ParsedPoints((), "wrong_number")
        text, numbers = _apart(reply[heading.end() : end].strip())
        if not numbers:
            return ParsedPoints((), "no_documents")
        if not text:
            return ParsedPoints((), "empty_point_of_view")
        if not set(numbers) <= set(range(1, n_documents + 1)):
            return ParsedPoints((), "unknown_document")
        found.append((text, numbers))
    if len({text.casefold() for text, _ in found}) < len(found):
        return ParsedPoints((), "repeated_point_of_view")
    return ParsedPoints(tuple(found))


def trimmed(
    texts: Sequence[str],
    spans: Spans,
    each: int = TOKENS_EACH,
    together: int = TOKENS_TOGETHER,
) -> Trimmed:
    """Return documents without web addresses and drawn lines, cut to what a model can take.

    Args:
        texts: The documents, the best first.
        spans: Says where a text's tokens are.
        each: The most tokens of one.
        together: The most tokens of all; the last ones are cut, or left out, first.
    """
    found: list[str] = []
    n_cut = 0
    for place, text in enumerate(texts):
        room = min(each, together)
        if room <= 0:
            return Trimmed(tuple(found), n_cut + len(texts) - place)
        plain = _CLUTTER.sub("", text)
        tokens = spans(plain)
        is_cut = len(tokens) > room
        found.append(plain[: tokens[room - 1][1]] if is_cut else plain)
        n_cut += is_cut
        together -= min(len(tokens), room)
    return Trimmed(tuple(found), n_cut)


def _apart(content: str) -> tuple[str, tuple[int, ...]]:
    """Return a point of view and the numbers of its documents; no numbers where it has no list."""
    for opening in _OPENING.finditer(content):
        listed = _DOCUMENTS.match(content, opening.start())
        if listed is not None:
            numbers = sorted({int(number) for number in re.findall(r"\d{1,6}", listed[0])})
            text = " ".join(content[: opening.start()].split()).strip("*_ ")
            return text, tuple(numbers)
    return content, ()
