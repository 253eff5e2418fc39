"""Words of sentences: what counts as one, their stems, and what the lexicon says of them."""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LEXICON = Path(__file__).parent / "lexicon.toml"

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
# A word, or a mark that ends what a negation reaches.
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[,;:.!?()]")
# How short a stem may be.
_SHORTEST = 3
# English prose has about four in ten of these words, German and French almost none but "die", "on".
_COMMON_SHARE = 0.2
_LATIN_SHARE = 0.8
_TELLS_NOTHING = 8
# "Ill-defined" and "non-repetitive" are turned round.
_TURNING_PREFIXES = ("ill", "non")
_ENDS_IN_TWO = re.compile(r"([bdgmnprt])\1$")


@dataclass(frozen=True)
class Lexicon:
    """Properties of words, by their stems: good and bad ones, negations, what a speech should have.

    Attributes:
        faults: Of the words that turn round what follows, those that are a fault by themselves.
        wishing: Words that ask for what is lacking, with one of the forms `more`.
        aspects: The aspect of a speech that a stem names.
        forms: Lists of words as they stand, such as `stopwords`.
        digest: Hash of the file, for the hash of a method.
    """

    good: frozenset[str]
    bad: frozenset[str]
    turning: frozenset[str]
    faults: frozenset[str]
    wanted: frozenset[str]
    giving: frozenset[str]
    wishing: frozenset[str]
    aspects: Mapping[str, str]
    forms: Mapping[str, frozenset[str]]
    digest: str

    def knows(self, found: str) -> bool:
        """Return whether a stem has a side or an aspect."""
        return found in self.aspects or found in self.good | self.bad | self.wanted


@cache
def lexicon() -> Lexicon:
    """Return the lexicon."""
    content = LEXICON.read_bytes()
    table = tomllib.loads(content.decode("utf-8"))
    aspects = {
        stem(word): aspect for aspect, text in table["aspects"].items() for word in text.split()
    }
    lists = {
        name: frozenset(stem(word) for word in text.split())
        for name, text in table.items()
        if isinstance(text, str)
    }
    forms = {name: frozenset(text.split()) for name, text in table["forms"].items()}
    return Lexicon(
        **lists, aspects=aspects, forms=forms, digest=hashlib.sha256(content).hexdigest()
    )


def words(text: str) -> list[str]:
    """Return a text's words as they stand, marks left off."""
    return _WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Return a text's words, without capitals, and the marks between them."""
    plain = text.casefold().replace("\u2019", "'")
    return [
        part
        for token in _TOKEN.findall(plain)
        for part in (["not"] if token in ("n't", "cannot", "can't") else _parts(token))
    ]


def _parts(token: str) -> list[str]:
    if token.endswith("n't") and len(token) > 3:
        return [token[:-3], "not"]
    # "well-structured" says what "well structured" says; "one-sided" is a word of its own.
    if "-" not in token or lexicon().knows(stem(token)):
        return [token]
    joined = token.replace("-", "")
    if lexicon().knows(stem(joined)):
        return [joined]
    first, *rest = token.split("-")
    return ["not" if first in _TURNING_PREFIXES else first, *rest]


@cache
def stem(word: str) -> str:
    """Return a word without its commonest endings: enough to tell inflections of one word."""
    found = word.casefold().replace("\u2019", "'").removesuffix("'s")
    found = found.replace("iz", "is").replace("yz", "ys")
    if found.endswith("ies") and len(found) > 4:
        found = found[:-3] + "y"
    elif found.endswith("s") and not found.endswith(("ss", "us", "is")) and len(found) > _SHORTEST:
        found = found[:-1]
    for ending in ("ly", "ing", "ed", "er"):
        if found.endswith(ending) and len(found) - len(ending) > _SHORTEST:
            found = _ENDS_IN_TWO.sub(r"\1", found[: -len(ending)])
            break
    return found[:-1] if found.endswith("e") and len(found) > _SHORTEST else found


def content_stems(text: str) -> list[str]:
    """Return the stems of a text's words without stopwords, in their order."""
    return [
        stem(token)
        for token in tokens(text)
        if token not in lexicon().forms["stopwords"] and any(letter.isalnum() for letter in token)
    ]


def is_english(text: str) -> bool:
    """Return whether a text may be English, by its commonest words: the rules know nothing else.

    Fewer than eight words pass where they are in Latin letters.
    """
    found = [token for token in tokens(text) if token[0].isalnum()]
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum(letter.isascii() for letter in letters)
    if latin < _LATIN_SHARE * len(letters):
        return False
    common = sum(token in lexicon().forms["stopwords"] for token in found)
    return len(found) < _TELLS_NOTHING or common >= _COMMON_SHARE * len(found)
