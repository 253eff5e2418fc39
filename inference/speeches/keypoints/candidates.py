"""Which sentences may stand for others: short ones that are plain by themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from inference.speeches.keypoints.pronouns import standing_alone
from inference.speeches.keypoints.records import Sentence
from inference.speeches.keypoints.words import content_stems, lexicon, stem, words

SHORTEST, LONGEST = 3, 12
# What a rule of polarity has counted less surely than this may stand for nothing.
_SURE = 0.5
_VERBS = lexicon().forms["verbs"]
_SEVERAL = re.compile(
    r"[,;:()\u2014]|\b(but|although|though|while|whereas|however|because|despite|which)\b", re.I
)
_AND = re.compile(r"\band\b", re.I)
_QUOTED = re.compile(r"\d|[\"\u201c\u201d\u00ab\u00bb]")


def with_candidacy(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with what each says by itself, and whether it may be a key point."""
    made: list[Sentence] = []
    for _, group in groupby(sentences, key=lambda each: each.request_id or each.sentence_id):
        own = list(group)
        for each, alone in zip(own, standing_alone([one.text for one in own]), strict=True):
            says = alone if alone != each.text else None
            reason = reason_against(replace(each, stands_as=says), is_known=alone is not None)
            made.append(replace(each, stands_as=says, candidate_reason=reason))
    return made


def reason_against(sentence: Sentence, *, is_known: bool = True) -> str | None:
    """Return the first rule that a sentence breaks; None for a candidate.

    In their order: it is matched at all; it has three words; at most twelve; it does not open with
    a pronoun that cannot be resolved, which says nothing outside its place; it has one idea, where
    adjectives joined by *and* are one; it is a statement; it is not about one speech alone
    (numbers, quotations, names, or words of the motion that judges do not use of any speech); its
    polarity is clear.
    """
    text = sentence.plain
    found = words(text)
    if sentence.removal_reason is not None:
        return "not_matched"
    if len(found) < SHORTEST:
        return "too_short"
    if len(found) > LONGEST:
        return "too_long"
    if not is_known:
        return "opens_with_pronoun"
    bare = text.rstrip(".!\u2026 ")
    if _SEVERAL.search(bare) or _joins_ideas(bare):
        return "several_ideas"
    if "?" in text:
        return "not_a_statement"
    if _is_specific(sentence, found):
        return "too_specific"
    if sentence.polarity_score is not None and abs(sentence.polarity_score) < _SURE:
        return "unclear_polarity"
    return None


def _joins_ideas(text: str) -> bool:
    """Whether *and* joins more than two words of one kind: a predicate, or things looked at."""
    left, *rights = _AND.split(text)
    if not rights:
        return False
    known, before, after = lexicon(), words(left), words(rights[0])
    if len(rights) > 1 or not before or not after:
        return True
    if any(
        word.casefold() in _VERBS and (not place or after[place - 1].casefold() != "to")
        for place, word in enumerate(after)
    ):
        return True
    nouns = [stem(before[-1]), next((one for one in map(stem, after) if one in known.wanted), "")]
    return all(one in known.wanted for one in nouns) and known.aspects.get(
        nouns[0]
    ) != known.aspects.get(nouns[1])


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
        or _QUOTED.search(sentence.plain) is not None
        or not own.isdisjoint(content_stems(sentence.plain))
    )
