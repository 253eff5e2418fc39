"""What a correction changed, word by word: what went, what came, what changed its dress."""

import re
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal, NamedTuple

from dashboard.core.labels import escape_markdown

Kind = Literal["same", "removed", "added", "dressed"]
LEGEND = (
    ":orange-background[~~struck out~~] was heard and is gone; :blue-background[**in bold type**] "
    "was not heard and has come; :gray-background[grey] is the same word with other punctuation or "
    "capitals."
)
# Struck out and bold say it as well as the colours do.
_MARKS: dict[Kind, tuple[str, str]] = {
    "same": ("", ""),
    "removed": (":orange-background[~~", "~~]"),
    "added": (":blue-background[**", "**]"),
    "dressed": (":gray-background[", "]"),
}
_DRESS = re.compile(r"[\W_]+")


class Piece(NamedTuple):
    """Words in a row that share their fate.

    Attributes:
        kind: What happened to them.
        text: The words, as they stand in the text they are from.
    """

    kind: Kind
    text: str


def word_diff(raw: str, corrected: str) -> list[Piece]:
    """Return both texts as one row of pieces, in reading order.

    Words are held to be the same when they differ in nothing but capitals and punctuation. White
    space is no difference.

    Args:
        raw: What was heard.
        corrected: What was made of it.
    """
    before, after = raw.split(), corrected.split()
    matcher = SequenceMatcher(
        None, [_bare(one) for one in before], [_bare(one) for one in after], autojunk=False
    )
    words: list[Piece] = []
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        old, new = before[start:end], after[new_start:new_end]
        if tag == "equal":
            words += [
                Piece("same" if one == other else "dressed", other)
                for one, other in zip(old, new, strict=True)
            ]
        else:
            words += [Piece("removed", one) for one in old] + [Piece("added", one) for one in new]
    return [
        Piece(kind, " ".join(word.text for word in run))
        for kind, run in groupby(words, key=lambda word: word.kind)
    ]


def _bare(word: str) -> str:
    return _DRESS.sub("", word).casefold() or word


def diff_markdown(pieces: list[Piece]) -> str:
    """Return the pieces as Markdown in which the words themselves mark nothing."""
    return " ".join(
        f"{_MARKS[piece.kind][0]}{escape_markdown(piece.text)}{_MARKS[piece.kind][1]}"
        for piece in pieces
    )
