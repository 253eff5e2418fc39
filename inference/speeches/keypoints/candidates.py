"""Candidates for key points: short sentences that are plain by themselves.

What opens a sentence by pointing back is named instead: a judge who writes *It lacks evidence*
means the speech, or what the sentence before was about. The rules, in their order:

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

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from inference.speeches.keypoints.results import Sentence
from inference.speeches.keypoints.split import subject_of
from inference.speeches.keypoints.words import content_stems, lexicon, stem, words

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
SHORTEST, LONGEST = 3, 12
# What a rule of polarity has counted less surely than this may stand for nothing.
_SURE = 0.5
_VERBS = lexicon().forms["verbs"]
_SEVERAL = re.compile(
    r"[,;:()\u2014]|\b(but|although|though|while|whereas|however|because|despite|which)\b", re.I
)
_AND = re.compile(r"\band\b", re.I)
_QUOTED = re.compile(r"\d|[\"\u201c\u201d\u00ab\u00bb]")


def resolve_references(texts: Sequence[str]) -> list[str | None]:
    """Return the sentences of a justification by themselves; None where a reference is unclear."""
    found: list[str | None] = []
    before: str | None = None
    for text in texts:
        alone = _resolved(_OPENER.sub("", text.replace("\u2019", "'")), before)
        found.append(alone if alone is None else alone[0].upper() + alone[1:])
        # Where this sentence's own subject is unknown, "it" in the next one is as unknown.
        opens_with_it = text.casefold().startswith(("it ", "it's "))
        before = "it" if alone is None and opens_with_it else _subject(alone or "")
    return found


def _resolved(text: str, before: str | None) -> str | None:
    """Return one sentence by itself; None where the meaning of its pronoun is unclear."""
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
    subject = subject_of(text)
    found = [] if subject is None else words(subject)
    if len(found) < 2 or found[0].casefold() not in ("the", "a", "an", "each", "every", "most"):
        return None
    return subject


def _is_plural(subject: str) -> bool:
    return subject.endswith("s") and not subject.endswith(("ss", "us", "is"))


def with_candidacy(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences by themselves, with whether each may be a key point."""
    made: list[Sentence] = []
    for _, group in groupby(sentences, key=lambda each: each.request_id or each.sentence_id):
        own = list(group)
        for each, alone in zip(own, resolve_references([one.text for one in own]), strict=True):
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
    """Return whether *and* joins more than two words of one kind."""
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
