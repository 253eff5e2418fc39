"""Speeches that models write: their topics, and from a reply to the speech, by stated rules.

A topic is one whose speeches are scored, whether a person has spoken on it or not. What others said
of it is in the items file, and never read here: a model that writes a speech sees the motion alone.

From a reply to its speech nothing is guessed. The rules, in order:

1. A reply of white space only is `empty_response`. Where the endpoint says why there is no more (it
   was refused, filtered, cut off at the limit of tokens), that is the reason of every reply that
   cannot be read.
2. What a model thought aloud (`<scratchpad>`, `<think>`) is not searched.
3. The speech stands between one `<speech>` tag and one `</speech>` tag, in any case of letters. No
   tag at all is `no_speech_tag`; a tag without its other half is `unclosed_speech`; more than one
   of either, one after another or one within another, is `several_speeches`.
4. Nothing between them is `empty_speech`. What begins as refusals do and has fewer than 50 words is
   `refused`, within tags or without.
5. A speech over the limit of words loses whole sentences from its end until it fits. One whose
   first sentence is over the limit is `sentence_over_limit`: nothing is cut within a sentence.

Words are what stands between white space. A sentence ends at `.`, `!`, `?` or `…`, with what closes
quotes and brackets behind it, where white space follows, and at the end of a line; not behind a
short form such as `Dr.` or `e.g.`, an initial, or where a small letter follows. In scripts that
write no spaces it ends at their own full stops, and a text may be one word. The language is not
looked at, and tags of other kinds are text like any other.
"""

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from inference.item_files import ItemFile
from inference.parsing import STOPPED, without_asides

# The study's prompt asks for so many words.
WORD_LIMIT = 600
REASONS = (
    "empty_response",
    "no_speech_tag",
    "unclosed_speech",
    "several_speeches",
    "empty_speech",
    "refused",
    "sentence_over_limit",
)
_TAG = re.compile(r"<\s*+(/?)\s*+speech\s*>", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]m|i am) (?:very |so )?(?:sorry|afraid|unable|not able)|sorry\b|as an ai\b|"
    r"i (?:cannot|can['’]t|can not|won['’]t|will not|would rather not|must decline))",
    re.IGNORECASE,
)
_SHORT = 50
_ENDS = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]+[」』）]*|\n")
_ABBREVIATIONS = frozenset(
    {"dr", "e.g", "etc", "i.e", "jr", "mr", "mrs", "ms", "no", "prof", "sr", "st", "vs"}
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]+$")


@dataclass(frozen=True)
class Topic:
    """One motion to speak for."""

    dataset_id: str
    item_id: str
    item_hash: str
    motion: str


@dataclass(frozen=True)
class Writing:
    """Limit of a speech's words; longer ones lose sentences from the end."""

    word_limit: int = WORD_LIMIT

    @property
    def words(self) -> str:
        """The way without its prompt, for people."""
        return f"{self.word_limit} words at most"


TOPICS = ItemFile(
    Topic,
    "topics",
    "topics: data set '{}' has no topics to speak on; ingest it again if its speeches are "
    "scored, or name one whose speeches are, such as --dataset sample",
    columns={"item_id": "debate_id"},
)


class WrittenSpeech(NamedTuple):
    """Speech in a reply; None with the reason where there is none.

    Attributes:
        reason: None when parsed, else one of `REASONS`, or of `parsing.STOPPED`.
        words_written: Words between the tags; None where nothing is between them.
        words: Words that are kept; None where there is no speech.
        sentences_removed: Sentences left out at the end; None where there is no speech.
    """

    text: str | None
    status: str
    reason: str | None
    words_written: int | None = None
    words: int | None = None
    sentences_removed: int | None = None


def read_speech(
    response: str | None, word_limit: int, finish_reason: str | None = None
) -> WrittenSpeech:
    """Return the speech in a model's raw reply, by the rules of this module.

    A finish reason explains a reply that cannot be read, and never takes away one that can.
    """
    written, problem = _between_tags(response or "")
    if problem is not None:
        return WrittenSpeech(None, "unparsed", STOPPED.get(finish_reason or "", problem))
    count = len(written.split())
    if _refuses(written):
        return WrittenSpeech(None, "unparsed", "refused", count)
    if count <= word_limit:
        return WrittenSpeech(written, "parsed", None, count, count, 0)
    ends = sentence_ends(written)
    fitting = list(takewhile(lambda end: len(written[:end].split()) <= word_limit, ends))
    if not fitting:
        return WrittenSpeech(None, "unparsed", "sentence_over_limit", count)
    kept = written[: fitting[-1]]
    removed = len(ends) - len(fitting)
    return WrittenSpeech(kept, "parsed", None, count, len(kept.split()), removed)


def sentence_ends(text: str) -> list[int]:
    """Return where each sentence of a text ends, the last one at the end of the text."""
    ends: list[int] = []
    for found in _ENDS.finditer(text):
        end = found.start() if found[0] == "\n" else found.end()
        # Of an empty line, and of one whose last sentence has ended, there is nothing to count.
        if text[ends[-1] if ends else 0 : end].strip() and _is_end(text, found):
            ends.append(end)
    length = len(text.rstrip())
    if length > (ends[-1] if ends else 0):
        ends.append(length)
    return ends


def _is_end(text: str, found: re.Match[str]) -> bool:
    if found[0][0] != ".":
        return True
    before = _LAST_WORD.search(text, max(0, found.start() - 20), found.start())
    word = before[0].casefold() if before else ""
    is_initial = word != "i" and _INITIALS.fullmatch(word) is not None
    follows = text[found.end() : found.end() + 50].split("\n", maxsplit=1)[0].lstrip()[:1]
    return not (word in _ABBREVIATIONS or is_initial or follows.islower())


def _between_tags(response: str) -> tuple[str, str | None]:
    """Return the text between the tags, and the reason where there is none."""
    if not response.strip():
        return "", "empty_response"
    text = without_asides(response)
    tags = list(_TAG.finditer(text))
    if not tags:
        return "", "refused" if _refuses(text.strip()) else "no_speech_tag"
    closing = [bool(tag[1]) for tag in tags]
    if closing in ([False], [True], [True, False]):
        return "", "unclosed_speech"
    if closing != [False, True]:
        return "", "several_speeches"
    written = text[tags[0].end() : tags[1].start()].strip()
    return written, None if written else "empty_speech"


def _refuses(text: str) -> bool:
    return _REFUSAL.match(text) is not None and len(text.split()) < _SHORT
