"""Quotes in what debaters write: found, compared with the story, and marked for judges.

Debaters put passages between `<quote>` tags. A quote is verified when its words stand in the story
one after the other, whatever the case and the punctuation. Judges are shown `<v_quote>` around a
verified quote and `<u_quote>` around any other; a debater who writes these tags is not believed:
they count as `<quote>`. A tag inside a quote, one that closes nothing and one that is never closed
are made harmless, as is every other tag, so that no debater can speak as somebody else.
"""

import re
import unicodedata
from bisect import bisect_right
from typing import NamedTuple

from inference.oversight.debating.records import Quote

# A passage that is less alike than this is not pointed at.
NEAR = 0.6

_TAG = re.compile(r"<\s*+(/?)\s*+(quote|v_quote|u_quote)\b[^<>]*>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<(?=\s*+[/!?]?\s*+[A-Za-z_])")
# An apostrophe within a word is part of it; all else that is no letter or digit parts words.
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


class Story:
    """A story in which quotes are looked up."""

    def __init__(self, text: str) -> None:
        self._places: list[tuple[int, int]] = []
        self._starts: list[int] = []
        words = []
        length = 0
        for found in _WORD.finditer(text):
            word = _plain(found[0])
            self._places.append(found.span())
            self._starts.append(length)
            words.append(word)
            length += len(word) + 1
        self._text = " ".join(words)

    def look_up(self, quote: str) -> tuple[bool, float, tuple[int, int] | None]:
        """Return whether a quote is in the story, how alike the likest passage is, and its place.

        A quote without a word is not in any story.
        """
        from rapidfuzz import fuzz

        words = normalised(quote)
        if not words or not self._text:
            return False, 0.0, None
        place = f" {self._text} ".find(f" {words} ")
        if place >= 0:
            return True, 1.0, self._span(place, place + len(words))
        # The shorter is what is looked for, wherever it stands.
        found = fuzz.partial_ratio_alignment(words, self._text)
        if found is None or len(words) > len(self._text):
            return False, fuzz.ratio(words, self._text) / 100, None
        # What stands in other words, such as "art" in "party", is like the story and not in it.
        alike = min(found.score / 100, 0.999)
        where = self._span(found.dest_start, found.dest_end) if alike >= NEAR else None
        return False, alike, where

    def _span(self, start: int, end: int) -> tuple[int, int]:
        first = max(0, bisect_right(self._starts, start) - 1)
        last = max(first, bisect_right(self._starts, end - 1) - 1)
        return self._places[first][0], self._places[last][1]


class Marked(NamedTuple):
    """A text as judges are shown it, its quotes, and whether its quote tags do not match."""

    shown: str
    quotes: tuple[Quote, ...]
    is_malformed: bool


def mark(text: str, story: Story, examples: frozenset[str] = frozenset()) -> Marked:
    """Return a text with its quotes compared with the story.

    Args:
        examples: The quotes that the prompt gives as examples, normalised; quoting one of them
            verifies nothing.
    """
    pieces: list[str] = []
    quotes: list[Quote] = []
    is_malformed = False
    opened: re.Match[str] | None = None
    done = 0
    for tag in _TAG.finditer(text):
        if opened is None and not tag[1]:
            opened = tag
        elif opened is not None and tag[1]:
            pieces.append(harmless(text[done : opened.start()]))
            inner = text[opened.end() : tag.start()]
            quote = _quote(len(quotes), inner, opened[2].lower(), story, examples)
            name = "v_quote" if quote.is_verified else "u_quote"
            pieces.append(f"<{name}>{harmless(inner)}</{name}>")
            quotes.append(quote)
            is_malformed |= tag[2].lower() != opened[2].lower()
            opened, done = None, tag.end()
        else:
            is_malformed = True
    pieces.append(harmless(text[done:]))
    return Marked("".join(pieces), tuple(quotes), is_malformed or opened is not None)


def harmless(text: str) -> str:
    """Return a text in which nothing is a tag."""
    return _ANY_TAG.sub("&lt;", text)


def without_quotes(text: str) -> str:
    """Return a debater's own words: quotes, and all behind an open tag, gone."""
    kept, depth, done = [], 0, 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            kept.append(text[done : tag.start()])
        depth = max(0, depth + (-1 if tag[1] else 1))
        done = tag.end()
    return " ".join([*kept, text[done:]] if depth == 0 else kept)


def without_tags(text: str) -> str:
    """Return a text without its quote tags."""
    return _TAG.sub(" ", text)


def quote_tags(text: str) -> list[re.Match[str]]:
    """Return the quote tags of a text; group 1 is a slash where one closes."""
    return list(_TAG.finditer(text))


def normalised(text: str) -> str:
    """Return a text's words without case and punctuation, a space between them."""
    return " ".join(_plain(found[0]) for found in _WORD.finditer(text))


def _plain(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    return folded.replace("'", "").replace("\u2019", "")


def _quote(
    position: int, inner: str, written_as: str, story: Story, examples: frozenset[str]
) -> Quote:
    # A tag inside the quote is no part of what it says.
    words = without_tags(inner)
    is_verified, similarity, where = story.look_up(words)
    is_example = normalised(words) in examples
    start, end = where or (None, None)
    return Quote(
        position,
        inner,
        is_verified and not is_example,
        similarity,
        start,
        end,
        written_as,
        is_example,
    )
