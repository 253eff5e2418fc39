"""Polarity of a sentence: for a speech, against it, or neither.

By rules: words of the lexicon count for or against. What a negation reaches, up to the next mark
and at most six words on, counts the other way round; what a speech should have counts for where it
is given, and against where it is negated or more of it is asked for. Of a contrast the part that
the writer stands by counts in full, the part that is granted (after *although*, before *but*) for
a fifth. The score is what counts for less what counts against, over both.

By a model: the sentences are shown to it, numbered, and it says a word for each.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from inference.prompt_files import Prompt, PromptFile
from inference.speeches.keypoints.words import Lexicon, lexicon, stem, tokens
from inference.steps.asking import Ask

PRO, CON, NEUTRAL = POLARITIES = ("pro", "con", "neutral")
RULES = "rules"
PROMPT = PromptFile("keypoints", "key_point_polarity", ("sentences",))
# How many sentences are shown at once.
_AT_ONCE = 20
# From which score on a sentence takes a side.
_TAKES_SIDE = 0.2
_REACH = 6
_GRANTED = 0.2
# What is turned round says less: "not bad" is not good.
_TURNED = 0.7
_GIVEN = 0.7

_GRANTING = frozenset({"although", "though", "while", "whilst", "despite", "albeit"})
_STANDING = frozenset({"but", "however", "yet", "nevertheless", "nonetheless"})
_MARKS = frozenset(",;:.!?()")
# Good where they are verbs; behind an article they are nouns, and say nothing.
_NOUNS_TOO = frozenset({"address", "answer", "cover", "focus", "hold", "move", "support"})
_ARTICLES = frozenset({"the", "this", "an", "a", "its", "his", "her", "their"})
RESULT = re.compile(r"<result>(.*?)</result>", re.DOTALL | re.IGNORECASE)
_LINE = re.compile(r"^\s*(\d+)\s*[:.)-]?\s*(pro|con|neutral)\s*$", re.IGNORECASE)


class Polarity(NamedTuple):
    """Polarity of a sentence: one of `POLARITIES`, or None with the problem of a model's reply.

    The score is from -1 (against) to 1 (for); None where a model was asked.
    """

    polarity: str | None
    score: float | None
    problem: str | None = None


def by_rules(text: str) -> Polarity:
    """Return a sentence's polarity, by the rules at the top of this module."""
    known, found = lexicon(), tokens(text)
    stems = [stem(token) for token in found]
    weights = _weights(found)
    counted = [weight * _value(place, found, stems, known) for place, weight in enumerate(weights)]
    if not known.wishing.isdisjoint(stems) and not known.forms["more"].isdisjoint(found):
        # What would be good is not what is.
        counted = [each for each in counted if each < 0] + [-1.0]
    total = sum(abs(each) for each in counted)
    score = round(sum(counted) / total, 6) if total else 0.0
    if abs(score) < _TAKES_SIDE:
        return Polarity(NEUTRAL, score)
    return Polarity(PRO if score > 0 else CON, score)


def _weights(found: Sequence[str]) -> list[float]:
    """Return the weight of each token: 1, or little where it is only granted."""
    weights = [1.0] * len(found)
    for place, token in enumerate(found):
        if token in _STANDING and place:
            weights[:place] = [_GRANTED] * place
        elif token in _GRANTING:
            # At the beginning what is granted ends with the first comma, later with the sentence.
            end = found.index(",", place) if place <= 1 and "," in found[place:] else len(found)
            weights[place:end] = [_GRANTED] * (end - place)
    return weights


def _value(place: int, found: Sequence[str], stems: Sequence[str], known: Lexicon) -> float:
    """Return the contribution of a token: above zero for the speech, below it against."""
    here = stems[place]
    turned = _is_turned(place, found, stems, known)
    if here in known.faults:
        return -1.0
    if found[place] == "too" and place + 1 < len(found) and found[place + 1] not in _MARKS:
        return -1.0
    if here in known.wanted and turned:
        return -1.0
    is_noun = here in _NOUNS_TOO and place > 0 and found[place - 1] in _ARTICLES
    if here in known.good and not is_noun:
        return -_TURNED if turned else 1.0
    if here in known.bad:
        return _TURNED if turned else -1.0
    if here in known.wanted and _is_given(place, found, stems, known):
        return _GIVEN
    return 0.0


def _is_turned(place: int, found: Sequence[str], stems: Sequence[str], known: Lexicon) -> bool:
    """Return whether an odd number of negations reaches a token."""
    count = 0
    for at in range(place - 1, max(place - _REACH - 1, -1), -1):
        if found[at] in _MARKS:
            break
        is_only = found[at] == "not" and found[at + 1] in ("only", "just", "merely")
        is_some = found[at] in ("few", "little") and at > 0 and found[at - 1] in ("a", "the")
        count += stems[at] in known.turning and not is_only and not is_some
    return count % 2 == 1


def _is_given(place: int, found: Sequence[str], stems: Sequence[str], known: Lexicon) -> bool:
    for at in range(place - 1, max(place - _REACH - 1, -1), -1):
        if found[at] in _MARKS:
            return False
        if stems[at] in known.giving:
            return True
    return False


def prompts_for(texts: Sequence[str], prompt: Prompt) -> list[str]:
    """Return the prompts about sentences, so many at once."""
    return [
        prompt.fill(
            {"sentences": "\n".join(f"{n}: {text}" for n, text in enumerate(part, start=1))}
        )
        for part in _parts(texts)
    ]


def by_model(texts: Sequence[str], ask: Ask, prompt: Prompt) -> list[Polarity]:
    """Return the polarities a model finds, one for each sentence."""
    answers = ask(prompts_for(texts, prompt))
    found: list[Polarity] = []
    for part, answer in zip(_parts(texts), answers, strict=True):
        said: dict[int, set[str]] = {}
        results = RESULT.findall(answer.text)
        for line in results[0].splitlines() if len(results) == 1 else ():
            if match := _LINE.match(line):
                said.setdefault(int(match[1]), set()).add(match[2].lower())
        problem = answer.failure or "the reply says no single polarity of it"
        for number in range(1, len(part) + 1):
            words = said.get(number, set())
            if len(words) == 1:
                found.append(Polarity(words.pop(), None))
            else:
                found.append(Polarity(None, None, problem))
    return found


def _parts(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[start : start + _AT_ONCE] for start in range(0, len(texts), _AT_ONCE)]
