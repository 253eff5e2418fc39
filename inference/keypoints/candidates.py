"""Which sentences may stand for others: short ones that are plain by themselves."""

from __future__ import annotations

import re

from inference.keypoints.records import Sentence
from inference.keypoints.words import content_stems, lexicon, words

SHORTEST, LONGEST = 3, 12
# What a rule of polarity has counted less surely than this may stand for nothing.
_SURE = 0.5
_PRONOUNS = lexicon().forms["pronouns"]
_SEVERAL = re.compile(
    r"[,;:()\u2014]|\b(but|although|though|while|whereas|however|because|despite|which|and)\b", re.I
)
_QUOTED = re.compile(r"\d|[\"\u201c\u201d\u00ab\u00bb]")


def reason_against(sentence: Sentence) -> str | None:
    """Return the first rule that a sentence breaks; None for a candidate.

    In their order: it is matched at all; it has three words; at most twelve; it does not open with
    a pronoun, which says nothing outside its place; it has one idea; it is a statement; it is not
    about one speech alone (numbers, quotations, names, or words of the motion that judges do not
    use of any speech); its polarity is clear.

    Args:
        sentence: The sentence, with its polarity.
    """
    found = words(sentence.text)
    if sentence.removal_reason is not None:
        return "not_matched"
    if len(found) < SHORTEST:
        return "too_short"
    if len(found) > LONGEST:
        return "too_long"
    if found[0].casefold() in _PRONOUNS:
        return "opens_with_pronoun"
    if _SEVERAL.search(sentence.text.rstrip(".!\u2026 ")):
        return "several_ideas"
    if "?" in sentence.text:
        return "not_a_statement"
    if _is_specific(sentence, found):
        return "too_specific"
    if sentence.polarity_score is not None and abs(sentence.polarity_score) < _SURE:
        return "unclear_polarity"
    return None


def _is_specific(sentence: Sentence, found: list[str]) -> bool:
    has_name = any(word[0].isupper() and word != "I" for word in found[1:])
    known = lexicon()
    own = {
        each
        for each in content_stems(sentence.motion)
        if each not in known.aspects and each not in known.good | known.bad | known.wanted
    }
    return (
        has_name
        or _QUOTED.search(sentence.text) is not None
        or not own.isdisjoint(content_stems(sentence.text))
    )
