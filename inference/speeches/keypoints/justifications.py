"""Reasons that judges give with their scores, read off replies and divided into sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inference.json_text import only_object
from inference.parsing import without_asides
from inference.prompt_files import Prompt, PromptFile
from inference.speeches.keypoints.polarity import RESULT, RULES
from inference.speeches.keypoints.results import (
    DIVIDED,
    EMPTY,
    FAILED,
    OTHER_LANGUAGE,
    SCORE_ONLY,
    TOO_LONG,
    Justification,
)
from inference.speeches.keypoints.split import plain, sentences, whole_sentences
from inference.speeches.keypoints.words import is_english, words
from inference.steps.asking import Answered, Ask

PROMPT = PromptFile("keypoints", "key_point_rephrase", ("reasons",))
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
    """Return justifications before they are divided, in the order of their requests.

    Args:
        rows: Current replies, with `judge_id`, `item_id`, `request_id`, `run_id`, `sample`,
            `motion` and `response`.
        any_language: Whether whoever divides them knows more languages than English.
    """
    made = []
    for row in rows:
        text = reasons_of(row["response"])
        bare = text or ""
        if len(bare) <= _MOST_CHARACTERS:
            bare = plain(bare)
        count, status, reason = len(words(bare)), DIVIDED, None
        if count == 0:
            status, reason = EMPTY, "the reply has no reasons with a word in them"
        elif count > LONGEST or len(bare) > _MOST_CHARACTERS:
            status = TOO_LONG
            reason = f"{count:,} words, and at most {LONGEST:,} are analysed"
        elif _BARE_SCORE.fullmatch(bare):
            status, reason = SCORE_ONLY, "the reasons are a score and nothing else"
        elif not any_language and not is_english(bare):
            status = OTHER_LANGUAGE
            reason = "not in English, which is all the rules know; use a model"
        facts = {key: value for key, value in row.items() if key != "response"}
        made.append(
            Justification(**facts, text=text, word_count=count, status=status, reason=reason)
        )
    return sorted(made, key=lambda each: each.request_id)


def prompts_for(found: Sequence[Justification], prompt: Prompt) -> list[str]:
    """Return the prompts for a model, one for each justification that is to be divided."""
    ready = [each.text or "" for each in found if each.status == DIVIDED]
    return [prompt.fill({"reasons": plain(text)}) for text in ready]


def rephrase_by_rules(found: Sequence[Justification]) -> list[Justification]:
    """Return justifications with their sentences, by the rules of `split`."""
    return [
        replace(each, rephrased=tuple(sentences(each.text or "")), rephrased_by=RULES)
        if each.status == DIVIDED
        else each
        for each in found
    ]


def rephrase_by_model(
    found: Sequence[Justification], model: str, ask: Ask, prompt: Prompt
) -> list[Justification]:
    """Return justifications with the sentences a model makes of them.

    One whose reply cannot be read has no sentences, and says so: nothing takes their place.
    """
    answers = iter(ask(prompts_for(found, prompt)))
    return [
        _with_reply(each, model, next(answers)) if each.status == DIVIDED else each
        for each in found
    ]


def _with_reply(each: Justification, model: str, answer: Answered) -> Justification:
    if answer.failure:
        return replace(each, status=FAILED, reason=f"'{model}' gave no reply: {answer.failure}")
    results = RESULT.findall(answer.text)
    made = whole_sentences(results[0].replace("&lt;", "<")) if len(results) == 1 else []
    if not made:
        words = f"the reply has {len(results)} results with a word in them, not one"
        return replace(each, status=FAILED, reason=f"'{model}': {words}")
    return replace(each, rephrased=tuple(made), rephrased_by=model)
