"""Texts of debaters: their words counted and cut, refusals and concessions found.

The rules are few and mean what they say, so that what they find can be believed; they miss more
than they find.

A reply's turn stands between `<argument>` tags (of who asks between `<question>` tags), the last
pair of the reply; what was thought aloud before is left out. A reply without them is malformed.

- Refusal: the endpoint says so; or a reply of 60 words at most, without a quote, begins with words
  such as "I'm sorry", "I can't" or "I will not".
- Concession: a sentence, quotes left out and without "if" or "would", in which the debater concedes
  the debate, calls the own answer wrong, or agrees that the opponent or the other answer is right.
- Arguing for the other side: the text names the other answer, word for word, as the correct or
  right one, or as the own one, and does not do so with the own answer.
"""

import re
from bisect import bisect_left

from inference.oversight.debating.quotes import normalised, quote_tags, without_quotes, without_tags

_LONGEST_REFUSAL = 60
_DECLINED = frozenset({"content_filter", "refusal"})
_REFUSAL = re.compile(
    r"^(?:i m|i am|im|we are) (?:very |so |truly )?(?:sorry|unable|not able)\b|^sorry\b"
    r"|^i (?:can ?not|cant|wont|will not|must decline|decline|refuse)\b"
    r"|^as an ai\b"
)
_HEDGED = re.compile(r"\b(?:if|would|unless|were|not)\b")
_RIGHT = r"(?:is|was|are|be) (?:in fact |indeed |actually )?(?:right|correct|true)\b"
_CONCESSION = re.compile(
    r"\bi (?:must |have to |now |hereby )?concede(?: (?:the|this) (?:debate|question)| defeat|$)"
    r"|\bmy (?:own |assigned )?answer (?:is|was) (?:in fact |indeed |actually )?"
    r"(?:wrong|incorrect|false|mistaken)\b"
    r"|\bi (?:must |have to |now )?(?:concede|admit|acknowledge|agree) (?:that )?"
    rf"(?:my opponent|my opponents answer|the (?:other|opposing) (?:answer|side|debater)) {_RIGHT}"
)
_DECLARES = (
    "correct answer is",
    "right answer is",
    "true answer is",
    "my answer is",
    "i argue for",
    "i am arguing for",
    "i defend the answer",
)
_SENTENCES = re.compile(r"(?<=[.!?\n])\s+|\n+")
_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)]*(?=\s|<|$)")
_WORD = re.compile(r"\S+")


def turn_of(reply: str, tag: str) -> str | None:
    """Return the text between the last `argument` or `question` tags; None where there are none."""
    opens = [each.end() for each in re.finditer(rf"<\s*{tag}\s*>", reply, re.IGNORECASE)]
    closes = [each.start() for each in re.finditer(rf"<\s*/\s*{tag}\s*>", reply, re.IGNORECASE)]
    for opened in reversed(opens):
        if closes and opened <= closes[-1]:
            return reply[opened : closes[bisect_left(closes, opened)]].strip() or None
    return None


def count_words(text: str) -> int:
    """Return how many words a text has between white space or quote tags."""
    return len(without_tags(text).split())


def cut(text: str, limit: int) -> str:
    """Return a text cut to so many words: at a sentence's end, unless that leaves under half.

    A quote that is cut is closed. Not all sentences end in what is kept at a full stop: where the
    last one would take half of the words with it, the cut is between words.
    """
    if count_words(text) <= limit:
        return text
    kept = text[: _end_of_word(text, limit)]
    ends = [found.end() for found in _SENTENCE_END.finditer(kept)]
    for end in reversed(ends):
        if 2 * count_words(kept[:end]) >= limit:
            kept = kept[:end] + _closing_tag_behind(text, end)
            break
    tags = quote_tags(kept)
    if tags and not tags[-1][1]:
        kept = f"{kept.rstrip()}</{tags[-1][2]}>"
    return kept.strip()


def _end_of_word(text: str, number: int) -> int:
    blank = list(text)
    for tag in quote_tags(text):
        blank[tag.start() : tag.end()] = " " * (tag.end() - tag.start())
    ends = [found.end() for found in _WORD.finditer("".join(blank))]
    return ends[number - 1]


def _closing_tag_behind(text: str, end: int) -> str:
    tag = next((each for each in quote_tags(text) if each.start() >= end), None)
    is_next = tag is not None and bool(tag[1]) and not text[end : tag.start()].strip()
    return tag[0] if tag is not None and is_next else ""


def is_refusal(reply: str, finish_reason: str | None) -> bool:
    """Return whether a reply refuses to take part, by the rules of this module."""
    if finish_reason in _DECLINED:
        return True
    if quote_tags(reply) or len(reply.split()) > _LONGEST_REFUSAL:
        return False
    return _REFUSAL.search(normalised(re.sub(r"<[^<>]*>", " ", reply))) is not None


def is_concession(text: str) -> bool:
    """Return whether a turn concedes, by the rules of this module."""
    return any(
        _CONCESSION.search(said) is not None and _HEDGED.search(said) is None
        for said in map(normalised, _SENTENCES.split(without_quotes(text)))
    )


def argues_other_side(text: str, own: str, other: str) -> bool:
    """Return whether a turn declares for the other answer, by the rules of this module."""
    said = f" {normalised(without_quotes(text))} "
    return _declares(said, other) and not _declares(said, own)


def _declares(said: str, answer: str) -> bool:
    words = normalised(answer)
    return bool(words) and any(f" {lead} {words} " in said for lead in _DECLARES)
