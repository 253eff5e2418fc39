"""From a reply to the question which answer is right to a probability or a choice, by stated rules.

A probability stands in a line of its own, `Probability that A is right: 0.73`, or is the whole
reply. It is a number from 0 to 1 or, with its sign, a percentage; `50/50` is one half. 73 without
the sign is out of range, as 1.2 is: nothing is guessed. A line about B says what it leaves to A.
Every such line counts, and all must agree. Around the line may be bullets and Markdown emphasis,
and letters may be of any case.

A choice is a letter alone, by the rules of `debates.verdicts`. Where an endpoint was held to JSON
the answer is the field `probability`, which is that of A, or `answer`.

What is returned is about answer 0, whichever letter it had. A reply that cannot be read has a
reason, and no number.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from inference.debates.verdicts import read_reply
from inference.json_text import CONFLICT, only_object
from inference.labels import label_probabilities
from inference.oversight.items import CHOICE
from inference.oversight.judging import LETTERS, answer_of
from inference.parsing import STOPPED, without_asides

PARSED, UNPARSED = "parsed", "unparsed"
REASONS = (
    "empty_response",
    "no_probability",
    "not_a_number",
    "out_of_range",
    "conflicting_values",
    "not_json",
    "no_winner",
    "not_a_label",
    "both_labels",
    *STOPPED.values(),
)
_LINE = re.compile(
    r"probability that (?:answer )?([ab]) is (?:right|correct)\s*[:=]\s*(.*)", re.IGNORECASE
)
_NUMBER = re.compile(r"([-+]?(?:[0-9]{1,15}(?:\.[0-9]{0,15})?|\.[0-9]{1,15}))\s*(%|percent)?")
_EVENS = re.compile(r"50\s*[/:]\s*50")
_AROUND = "*_`[]()>#- \t\u2022"
# Where 1 - p is to be the number a person would write.
_DIGITS = 12


class Judgement(NamedTuple):
    """What a reply says.

    Attributes:
        p_answer_0: The probability that answer 0 is right, where one is said.
        choice: The answer that is chosen, 0 or 1, where a choice was asked for.
    """

    p_answer_0: float | None
    choice: int | None
    status: str
    reason: str | None


def read_judgement(
    response: str | None,
    asked_for: str,
    answer_order: str,
    answer_format: str | None = None,
    finish_reason: str | None = None,
) -> Judgement:
    """Return what a reply says of answer 0, by the rules of this module."""
    if asked_for == CHOICE:
        said = read_reply(
            response,
            *LETTERS,
            "answer",
            is_justified=False,
            answer_format=answer_format,
            finish_reason=finish_reason,
        )
        if said.label is None:
            return Judgement(None, None, UNPARSED, said.reason)
        letter = LETTERS[said.label != "pro"]
        return Judgement(None, answer_of(letter, answer_order), PARSED, None)
    found = _probability_of_a(response or "", answer_format)
    if isinstance(found, str):
        return Judgement(None, None, UNPARSED, STOPPED.get(finish_reason or "", found))
    return Judgement(_of_answer_0(found, answer_order), None, PARSED, None)


def probability_of_labels(
    logprobs: Mapping[str, float], ceiling: float | None, answer_order: str
) -> float | None:
    """Return the probability of answer 0 that a judge gave by choosing between A and B.

    Returns:
        None where not both letters were seen: then there are bounds, and no number.
    """
    found = label_probabilities(LETTERS, logprobs, ceiling)
    p = found[LETTERS[0]].p if found else None
    return None if p is None else _of_answer_0(p, answer_order, digits=None)


def _of_answer_0(p_a: float, answer_order: str, digits: int | None = _DIGITS) -> float:
    if answer_of(LETTERS[0], answer_order) == 0:
        return p_a
    return 1.0 - p_a if digits is None else round(1.0 - p_a, digits)


def _probability_of_a(text: str, answer_format: str | None) -> float | str:
    """Return the probability of A, or why there is none."""
    if not text.strip():
        return "empty_response"
    said = without_asides(text).strip()
    if answer_format == "json_schema":
        found = only_object(text) or only_object(said)
        as_json = "not_json" if found is None else _json_probability(found)
        as_text = _text_probability(said)
        return as_text if isinstance(as_json, str) and isinstance(as_text, float) else as_json
    return _text_probability(said)


def _json_probability(found: Mapping[str, Any]) -> float | str:
    value = found.get("probability")
    if value is CONFLICT:
        return "conflicting_values"
    if isinstance(value, str):
        return _number(value)
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        return "no_probability"
    return float(value) if 0 <= value <= 1 else "out_of_range"


def _text_probability(said: str) -> float | str:
    read: list[float | str] = []
    for line in said.splitlines():
        # Emphasis may end inside the line: **Probability that A is right:** 0.7
        plain = line.replace("**", "").replace("__", "").strip(_AROUND)
        if (match := _LINE.fullmatch(plain)) is not None:
            number = _number(match[2])
            is_of_b = match[1].upper() != LETTERS[0]
            read.append(
                round(1.0 - number, _DIGITS) if is_of_b and isinstance(number, float) else number
            )
    if not read:
        alone = _number(said)
        return "no_probability" if alone == "not_a_number" else alone
    if (fault := next((each for each in read if isinstance(each, str)), None)) is not None:
        return fault
    return read[0] if len(set(read)) == 1 else "conflicting_values"


def _number(content: str) -> float | str:
    bare = content.strip().lstrip("*_`[( ").rstrip("*_`]) ").removesuffix(".").strip()
    if _EVENS.fullmatch(bare):
        return 0.5
    match = _NUMBER.fullmatch(bare)
    if match is None:
        return "not_a_number"
    value = float(match[1])
    if match[2]:
        value = round(value / 100, _DIGITS + 3)
    return value if 0 <= value <= 1 else "out_of_range"
