"""Sentences as they stand by themselves: what opens them by pointing back is named instead.

A judge who writes *It lacks evidence* means the speech, or what the sentence before was about. The
rules, in their order:

- an adverb before a comma (*Overall, …*) is left off;
- *its*, *his*, *her* and *their* before a noun, and *this*, *that*, *these* and *those* before what
  a judge has before it (the speech, the arguments), become *the*;
- *he* and *she* become *the speaker*;
- *it* becomes the subject of the sentence before where that is the speech, the argument or another
  whole, and *the speech* where the sentence before has no singular subject;
- *they* becomes the subject of the sentence before where that is plural;
- *it is clear that …* points at nothing and stays.

Anything else is not resolved: behind *The tone is warm.* the word *it* may be the tone or the
speech.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from inference.speeches.keypoints.split import subject_of
from inference.speeches.keypoints.words import lexicon, words

_SPEECH = "The speech"
_OPENER = re.compile(
    r"^(?:" + "|".join(sorted(lexicon().forms["openers"])).replace("-", " ") + r"),\s+(?=\S)", re.I
)
_POSSESSIVES = frozenset({"its", "his", "her", "their"})
_POINTING = frozenset({"this", "that", "these", "those"})
# "It is not clear what…", "It is hard for a listener to…": nothing is meant by "it".
_EXPLETIVE = re.compile(
    r"^it(?:'s| is| was| seems| remains| becomes)(?: \w+){1,3}? (?:that|what|how|why|whether)\b",
    re.I,
)
# "It is easy to follow" says it of the speech; with an object behind the verb it may be expletive.
_UNSURE = re.compile(
    r"^it(?:'s| is| was| seems| remains| becomes) (?:\w+ )?\w+ (?:for|to \w+ \w)", re.I
)
_BEEN = frozenset({"been", "got"})


def standing_alone(texts: Sequence[str]) -> list[str | None]:
    """Return the sentences of one justification as they stand by themselves.

    Returns:
        For each its text, what it points back to named; None where that cannot be told.
    """
    found: list[str | None] = []
    before: str | None = None
    for text in texts:
        alone = _alone(_OPENER.sub("", text.replace("\u2019", "'")), before)
        found.append(alone if alone is None else alone[0].upper() + alone[1:])
        # Where this sentence's own subject is unknown, "it" in the next one is as unknown.
        before = "it" if alone is None and _opens_with_it(text) else _subject(alone or "")
    return found


def _alone(text: str, before: str | None) -> str | None:
    """Return one sentence by itself; None where it cannot be told what its pronoun means."""
    first, _, rest = text.partition(" ")
    word = first.casefold()
    if word not in lexicon().forms["pronouns"] or not rest:
        return text
    following = rest.partition(" ")[0].casefold().strip(".,;:!?")
    if word in _POSSESSIVES:
        return f"The {rest}"
    if word in _POINTING:
        return f"The {rest}" if following in lexicon().forms["wholes"] else None
    if word in ("he", "she"):
        return f"The speaker {rest}"
    if word == "there":
        return text
    if word in ("it", "it's"):
        if _EXPLETIVE.match(text):
            return text
        named = _named_by_it(before)
        if named is None or _UNSURE.match(text):
            return None
        has = "has" if following in _BEEN else "is"
        return f"{named} {has} {rest}" if word == "it's" else f"{named} {rest}"
    if word in ("they", "they're") and before is not None and _is_plural(before):
        return f"{before} are {rest}" if word == "they're" else f"{before} {rest}"
    return None


def _named_by_it(before: str | None) -> str | None:
    if before is None or _is_plural(before):
        return _SPEECH
    head = before.casefold().rpartition(" ")[2]
    if head in lexicon().forms["wholes"]:
        return before
    return _SPEECH if head in ("speaker", "speakers") else None


def _subject(text: str) -> str | None:
    """Return a sentence's subject where it is a noun with an article; None for all else."""
    subject = subject_of(text)
    found = [] if subject is None else words(subject)
    if len(found) < 2 or found[0].casefold() not in ("the", "a", "an", "each", "every", "most"):
        return None
    return subject


def _is_plural(subject: str) -> bool:
    return subject.endswith("s") and not subject.endswith(("ss", "us", "is"))


def _opens_with_it(text: str) -> bool:
    return text.casefold().startswith(("it ", "it's "))
