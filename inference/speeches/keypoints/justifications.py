"""The reasons a judge gives with its score, read off its reply."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from inference.json_text import only_object
from inference.parsing import without_asides
from inference.speeches.keypoints.records import (
    EMPTY,
    OTHER_LANGUAGE,
    SCORE_ONLY,
    SENTENCES,
    TOO_LONG,
    Justification,
)
from inference.speeches.keypoints.split import plain
from inference.speeches.keypoints.words import is_english, words

# A longer one would outweigh hundreds of others.
LONGEST = 2000
# No 2,000 words of prose have as many; past that it is not even searched for markup.
_MOST_CHARACTERS = 20_000

_SCRATCHPAD = re.compile(r"<\s*scratchpad\s*>(.*?)(?:<\s*/\s*scratchpad\s*>|\Z)", re.DOTALL | re.I)
_SCORE = re.compile(
    r"<\s*score\s*>.*?(?:<\s*/\s*score\s*>|\Z)|</\s*scratchpad\s*>", re.DOTALL | re.I
)
_THOUGHT = re.compile(r"<\s*think\s*>.*?(?:<\s*/\s*think\s*>|\Z)", re.DOTALL | re.I)
_BARE_SCORE = re.compile(
    r"\W*(?:(?:the|my)\s+)?(?:score|rating|answer)?\W*(?:is\W+)?"
    r"\d+(?:\W*(?:/|out of)\W*\d+)?\W*",
    re.I,
)


def reasons_of(response: str | None) -> str | None:
    """Return the reasons in a reply; None where it has none.

    They are what stands between scratchpad tags, up to the score where the last one is missing; or
    the field `reasons` of a reply in JSON; or, without either, all but the score. What a model
    thought to itself (`<think>`) is no reason that it gives.
    """
    text = _THOUGHT.sub(" ", response or "")
    found = only_object(text.strip())
    if found is None:
        found = only_object(without_asides(text).strip())
    if found is not None:
        said = found.get("reasons")
        return said.strip() or None if isinstance(said, str) else None
    noted = _SCRATCHPAD.findall(text)
    kept = "\n".join(noted) if noted else text
    return _SCORE.sub(" ", kept).strip() or None


def read(rows: Iterable[Mapping[str, Any]], *, any_language: bool) -> list[Justification]:
    """Return justifications as they are before they are divided, in the order of their requests.

    Args:
        rows: Current replies, with `judge_id`, `item_id`, `request_id`, `run_id`, `sample`,
            `motion` and `response`.
        any_language: Whether whoever divides them knows more languages than English.
    """
    made = []
    for row in rows:
        text = reasons_of(row["response"])
        said = text or ""
        is_long = len(said) > _MOST_CHARACTERS
        bare = said if is_long else plain(said)
        status, reason = _judged(bare, any_language=any_language)
        made.append(
            Justification(
                judge_id=row["judge_id"],
                item_id=row["item_id"],
                request_id=row["request_id"],
                run_id=row["run_id"],
                sample=row["sample"],
                motion=row["motion"],
                text=text,
                word_count=len(words(bare)),
                status=status,
                reason=reason,
            )
        )
    return sorted(made, key=lambda each: each.request_id)


def _judged(bare: str, *, any_language: bool) -> tuple[str, str | None]:
    count = len(words(bare))
    if count == 0:
        return EMPTY, "the reply has no reasons with a word in them"
    if count > LONGEST or len(bare) > _MOST_CHARACTERS:
        return TOO_LONG, f"{count:,} words, and at most {LONGEST:,} are analysed"
    if _BARE_SCORE.fullmatch(bare):
        return SCORE_ONLY, "the reasons are a score and nothing else"
    if not any_language and not is_english(bare):
        return OTHER_LANGUAGE, "not in English, which is all the rules know; use a model"
    return SENTENCES, None
