"""The part of a text that best shows why it was found, with the words made visible."""

import re
from collections.abc import Collection
from itertools import islice

from dashboard.core.labels import escape_markdown

BEFORE, LENGTH = 80, 320
_WORD = re.compile(r"[^\W_]+")


def passage(text: str, words: Collection[str]) -> tuple[int, int]:
    """Return where the passage with the most different words begins and ends.

    Args:
        text: The whole text.
        words: The words, as they stand in it.
    """
    places = [(one.start(), one[0].casefold()) for one in _WORD.finditer(text) if one[0] in words]
    best, most = 0, 0
    for at, (start, _) in enumerate(places):
        words_after = set()
        for place, word in islice(places, at, None):
            if place >= start + LENGTH - BEFORE:
                break
            words_after.add(word)
        amount = len(words_after)
        if amount > most:
            best, most = start, amount
    start = max(0, best - BEFORE)
    # Nothing is cut within a word.
    if start and (space := re.compile(r"\s").search(text, start, best)):
        start = space.end()
    end = min(len(text), start + LENGTH)
    if end < len(text) and (space := re.compile(r"\s\S*\Z").search(text, best, end)):
        end = space.start()
    return start, end


def passage_markdown(text: str, words: Collection[str]) -> str:
    """Return the best passage as Markdown in which the text itself marks nothing.

    Args:
        text: The whole text.
        words: The words to mark, as they stand in it.
    """
    start, end = passage(text, words)
    marked, at = [], start
    for one in _WORD.finditer(text, start, end):
        if one[0] in words:
            marked += [_escaped(text[at : one.start()]), f":orange-background[**{one[0]}**]"]
            at = one.end()
    marked.append(_escaped(text[at:end]))
    whole = "".join(marked).strip()
    return f"{'… ' if start else ''}{whole}{' …' if end < len(text) else ''}"


def _escaped(text: str) -> str:
    """Return text between two words, with a space where it begins or ends with one."""
    inner = escape_markdown(text)
    if not inner:
        return " " if text else ""
    return f"{' ' * text[0].isspace()}{inner}{' ' * text[-1].isspace()}"
