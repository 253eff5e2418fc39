"""Punctuation and spelling, put right by a model that may not change what was said.

What it writes is compared with the raw text word by word, case, punctuation and apostrophes apart.
A correction that changes more than a share of the words of any part, or a single number or
negation, is dropped, and the raw text of the whole segment stands.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inference.errors import NoReplyYet, TranscriptionFailed
from inference.parliamentary.transcription.records import KEPT, RAW, REVERTED, Correction, Segment
from inference.prompt_files import Prompt, PromptFile
from inference.steps.asking import Answered, Ask

# On clear English speech good transcribers get about one word in twenty wrong: who corrects more
# than that is not correcting spelling.
MAX_WORD_ERROR_RATE = 0.05
PROMPT = PromptFile("transcripts", "correct", ("text",))

_WORD = re.compile(r"(?<![\w.])-?\d+(?:[.:]\d+)*|[^\W_]+|[%$£€]")
_APOSTROPHES = re.compile(r"(?<=\w)['\u2018\u2019\u02bc`](?=\w)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NEGATION_WORDS = """
    no not never none nor neither nothing nobody nowhere without cannot cant dont wont isnt
    arent wasnt werent doesnt didnt hasnt havent hadnt shouldnt wouldnt couldnt mustnt neednt
    shant aint
"""
_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
    ninety hundred hundreds thousand thousands million millions billion billions trillion
    trillions half percent % $ £ €
"""
# What no correction may change.
_GUARDED = frozenset((_NEGATION_WORDS + _NUMBER_WORDS).split())
_REPLY = re.compile(r"<corrected>(.*?)</corrected>", re.DOTALL | re.IGNORECASE)


class Change(NamedTuple):
    """Difference of two texts in their words.

    Attributes:
        words: Words of the first.
        changed: The fewest words to replace, leave out or add to turn the one into the other.
        guarded: A number or negation that is not in both at its place; None where all are.
    """

    words: int
    changed: int
    guarded: str | None

    @property
    def rate(self) -> float | None:
        """The word error rate; None where the first text has no word."""
        return self.changed / self.words if self.words else None


def words_of(text: str) -> list[str]:
    """Return a text's words as they are compared: case, punctuation and apostrophes apart."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2212", "-")
    plain = _THOUSANDS.sub("", _APOSTROPHES.sub("", plain))
    return _WORD.findall(plain)


def compare(raw: str, corrected: str) -> Change:
    """Return how a correction differs from the raw text."""
    # Imported here: few transcribe.
    import jiwer

    before, after = words_of(raw), words_of(corrected)
    if not before or not after:
        changed = max(len(before), len(after))
    else:
        counts = jiwer.process_words(" ".join(before), " ".join(after))
        changed = counts.substitutions + counts.deletions + counts.insertions
    return Change(len(before), changed, _first_difference(_guarded(before), _guarded(after)))


def correct(
    segments: Sequence[Segment], ask: Ask, prompt: Prompt, max_rate: float = MAX_WORD_ERROR_RATE
) -> list[Correction]:
    """Have segments corrected, and decide for each whether its correction stands.

    Raises:
        TranscriptionFailed: There is no reply now; those that came are kept.
    """
    prompts = [
        prompt.fill({"text": part}) for each in segments for part in each.parts if words_of(part)
    ]
    try:
        answers = iter(ask(prompts))
    except NoReplyYet as error:
        raise TranscriptionFailed(f"transcripts: corrector {error}") from None
    return [_judged(each, answers, max_rate) for each in segments]


def uncorrected(segments: Sequence[Segment]) -> list[Correction]:
    """Return segments that nobody corrects: every raw text stands."""
    return [Correction(each.position, RAW) for each in segments]


def overall_rate(segments: Sequence[Segment], made: Sequence[Correction]) -> float | None:
    """Return the word error rate over all segments that have one; None where none has."""
    counted = [
        (each.changed_words, sum(len(words_of(part)) for part in segment.parts))
        for segment, each in zip(segments, made, strict=True)
        if each.changed_words is not None
    ]
    words = sum(count for _, count in counted)
    return sum(changed for changed, _ in counted) / words if words else None


def _judged(segment: Segment, answers: Iterator[Answered], max_rate: float) -> Correction:
    """Return the correction of a segment, given the answers about its parts and what follows."""
    problems: list[str] = []
    texts: list[str | None] = []
    changed = words = 0
    for number, part in enumerate(segment.parts, start=1):
        if not words_of(part):
            texts.append(part)
            continue
        text, problem = _corrected(next(answers))
        texts.append(text)
        if text is not None:
            change = compare(part, text)
            changed, words = changed + change.changed, words + change.words
            problem = change.guarded
            if change.rate is not None and change.rate > max_rate:
                problem = (
                    f"{change.changed} of {change.words} words changed ({change.rate:.1%}, at most "
                    f"{max_rate:.1%} may)"
                )
        if problem:
            problems.append(f"part {number} of {len(segment.parts)}: {problem}")
    whole = [text for text in texts if text is not None]
    # Of a correction that is not whole there is no rate.
    has_rate = len(whole) == len(texts) and words > 0
    rate, count = (changed / words, changed) if has_rate else (None, None)
    if problems:
        return Correction(segment.position, REVERTED, None, rate, count, "; ".join(problems))
    if not has_rate:
        return Correction(segment.position, RAW)
    return Correction(segment.position, KEPT, segment.joiner.join(whole), rate, count)


def _corrected(answer: Answered) -> tuple[str | None, str | None]:
    """Return the corrected text of a reply, or the reason why it has none."""
    if answer.failure:
        return None, f"the corrector gave no reply ({answer.failure})"
    found = _REPLY.findall(answer.text)
    if len(found) != 1 or not found[0].strip():
        return None, f"the corrector's reply has {len(found)} corrected texts with words, not one"
    # The prompt hides what could end its own tags.
    return found[0].strip().replace("&lt;", "<"), None


def _guarded(words: Sequence[str]) -> list[str]:
    return [word for word in words if word in _GUARDED or any(each.isdigit() for each in word)]


def _first_difference(before: Sequence[str], after: Sequence[str]) -> str | None:
    if before == after:
        return None
    at = next(
        (n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other),
        min(len(before), len(after)),
    )
    one = f"'{before[at]}'" if at < len(before) else "nothing"
    other = f"'{after[at]}'" if at < len(after) else "nothing"
    return f"a number or negation is not the same: {one} became {other}"
