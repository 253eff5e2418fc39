"""Cutting texts into chunks that, put together again, are the text."""

import itertools
import re
from collections.abc import Callable, Sequence

# Where each token of a text begins and ends.
Spans = Callable[[str], Sequence[tuple[int, int]]]

ABOUT = 2000
# From the best place to cut to the worst: behind a paragraph, a sentence, a line, a word.
_ENDS = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]+\s*"),
    re.compile(r"\n\s*"),
    re.compile(r"\s+"),
)
_WORD = re.compile(r"\w+|[^\w\s]")


def chunks(text: str, about: int = ABOUT) -> list[str]:
    """Return a text in chunks of at most `about` characters; joined, they are the text.

    A chunk ends behind a paragraph, where one ends in its second half; else behind a sentence, a
    line, a word; and in the middle of a word only where that word is half a chunk long.
    """
    if about < 1:
        raise ValueError(f"chunking: about is {about}; expected 1 or more characters")
    found, start = [], 0
    while len(text) - start > about:
        end = _cut(text, start, start + about)
        found.append(text[start:end])
        start = end
    return [*found, text[start:]] if start < len(text) else found


def token_chunks(text: str, size: int, spans: Spans) -> list[str]:
    """Return a text in chunks of `size` tokens, the last one shorter; joined, they are the text."""
    begins = [begin for begin, _ in spans(text)][size::size]
    # Tokens of a character's bytes share its place; a chunk between them would be empty.
    places = sorted({0, *begins, len(text)})
    return [text[begin:end] for begin, end in itertools.pairwise(places)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words and punctuation marks are: tokens, where no tokenizer is at hand."""
    return [match.span() for match in _WORD.finditer(text)]


def _cut(text: str, start: int, limit: int) -> int:
    middle = start + (limit - start) // 2
    for end in _ENDS:
        places = [match.end() for match in end.finditer(text, start, limit)]
        if places and places[-1] > middle:
            return places[-1]
    return limit
