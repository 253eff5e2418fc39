"""From a judge's reply to a score or a verdict: stated rules, no guessing. Pure functions of text.

`read_score` chooses the rule by how the answer was asked for.

The rules of `parse_score`, in order:

1. A reply of white space only is `empty_response`.
2. What a judge thought aloud is not an answer: closed `<scratchpad>` and `<think>` regions are not
   searched. A closing tag without an opening one ends a region that began with the reply (chat
   templates often supply the opening tag). An unclosed `<think>` runs to the end of the reply: the
   judge was cut off while thinking. An unclosed `<scratchpad>` is searched.
3. Score tags are looked for in any case of letters. A tag's content ends at its closing tag, at the
   next score tag, or, where the closing tag is missing, at the end of the reply. No tag at all is
   `no_score_tag`.
4. A content is read as a score when it is a whole number on the scale, written as `4`, `4.0`, `4.`
   or `4/5` (the denominator must be the top of the scale), surrounded by nothing but white space,
   Markdown emphasis (`**4**`, `_4_`, `` `4` ``) or square brackets (`[4]`, an echo of the
   instructions).
5. Several tags must all be read and agree. Different values are `conflicting_scores`; one that
   cannot be read spoils the reply, with its own reason.

`parse_number` reads a reply that is the score alone, as prompts about answers ask for it: white
space, Markdown emphasis and a full stop may stand around the number, and before it one name and a
colon, as in a form that was filled in (`Quality: 4`, `- Quality: 4`). Nothing else is passed over.

`parse_score_json` reads a reply that is one JSON object. Where one of the scale's numbers was to be
chosen, a reply is that number as it is written, white space around it aside.

Everything else is unparsed, with a reason from `REASONS`. A failure is never a number.
"""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from inference.json_text import CONFLICT, last_object, only_object

# Raised with every change that reads any reply differently; `raw.runs` says which one was used.
PARSER_VERSION = 3

REASONS = (
    "empty_response",
    "no_score_tag",
    "empty_score_tag",
    "not_a_number",
    "not_whole",
    "wrong_denominator",
    "out_of_range",
    "conflicting_scores",
    "not_json",
    "no_score_field",
    "not_a_label",
)
VERDICT_REASONS = (
    "empty_response",
    "not_json",
    "no_winner",
    "not_a_label",
    "both_labels",
)
# Why a reply that cannot be read cannot, where the endpoint's finish reason says it.
STOPPED = {"refusal": "refused", "content_filter": "filtered", "length": "truncated"}

# Nothing that was matched is given back: white space without end would be divided in all ways.
_SCORE_TAG = re.compile(r"<\s*+(/?)\s*+score\s*+>", re.IGNORECASE)
_ASIDE_TAG = re.compile(r"<\s*+(/?)\s*+(scratchpad|think)\s*+>", re.IGNORECASE)
_NUMBER = re.compile(r"(-?[0-9]+)(?:\.([0-9]*))?(?:\s*/\s*([0-9]+)(?:\.(0*))?)?")
_WRAPPERS = (("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"), ("[", "]"))
# No way of writing one score is longer; a longer content is prose or digits run wild.
_LONGEST_CONTENT = 64
# A form's field that was filled in: a name, a colon, and what may be a number.
_FORM = re.compile(r"(?:[-*]\s*)?[^\W\d_]+(?: [^\W\d_]+){0,2}\s*:\s*([^:]+)")
_BINARY = re.compile(r"[01]")
_PLAIN_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,15}")
_WORD = re.compile(r"[^\W\d_]+")
_SIDES = ("pro", "con", "tie")


class ParsedScore(NamedTuple):
    """What a reply says.

    Attributes:
        value: The whole number, or None when there is no single certain one.
        reason: None when parsed, else one of `REASONS`, or from `read_score` of `STOPPED`.
    """

    value: float | None
    status: str
    reason: str | None


class ParsedLabel(NamedTuple):
    """Which label a reply names.

    Attributes:
        label: The label; None when there is no single certain one.
        reason: None when parsed, else one of `REASONS` or `VERDICT_REASONS`.
    """

    label: str | None
    status: str
    reason: str | None


@lru_cache(maxsize=1024)
def read_score(
    response: str | None,
    scale_min: int = 1,
    scale_max: int = 5,
    answer_format: str | None = None,
    finish_reason: str | None = None,
    *,
    is_bare: bool = False,
) -> ParsedScore:
    """Read a score by the rule that belongs to the way it was asked for.

    Judges that are asked for the score alone write the same few replies over and over.

    An endpoint that ignores the format it was asked for answers as the prompt says, so a reply that
    is no answer of that format is read as text; the reason, should that fail too, is the format's.

    Args:
        is_bare: Whether the prompt asks for the number alone, as those about answers do, and not
            for score tags.
    """
    text = response or ""
    read_text = parse_number if is_bare else parse_score
    if answer_format in (None, "text"):
        parsed = read_text(text, scale_min, scale_max)
    elif answer_format == "json_schema":
        parsed = parse_score_json(text, scale_min, scale_max)
    elif answer_format in ("choice", "label_scoring"):
        parsed = _score_label(text, scale_min, scale_max)
    else:
        raise ValueError(
            "answer_format should be text, json_schema, choice or label_scoring; "
            f"found {answer_format!r}"
        )
    if parsed.value is None and answer_format not in (None, "text"):
        as_text = read_text(text, scale_min, scale_max)
        parsed = as_text if as_text.value is not None else parsed
    if parsed.value is None and finish_reason in STOPPED:
        return _unparsed(STOPPED[finish_reason])
    return parsed


def parse_score(response: str, scale_min: int = 1, scale_max: int = 5) -> ParsedScore:
    """Read the score a judge gave, by the rules at the top of this module."""
    if not response.strip():
        return _unparsed("empty_response")
    contents = _score_contents(without_asides(response))
    if not contents:
        return _unparsed("no_score_tag")
    readings = [_read(content, scale_min, scale_max) for content in contents]
    for reading in readings:
        if isinstance(reading, str):
            return _unparsed(reading)
    if len(set(readings)) > 1:
        return _unparsed("conflicting_scores")
    return ParsedScore(float(readings[0]), "parsed", None)


def parse_number(response: str, scale_min: int = 1, scale_max: int = 5) -> ParsedScore:
    """Read a reply that is the score alone, by the rule at the top of this module."""
    if not response.strip():
        return _unparsed("empty_response")
    content = without_asides(response).strip()
    form = _FORM.fullmatch(content) if len(content) <= _LONGEST_CONTENT else None
    reading = _read(content if form is None else form[1], scale_min, scale_max)
    return _untagged(reading)


def first_binary_digit(prompt: str, response: str) -> int | None:
    """Read 0 or 1 as the program released with the debatable-questions study does.

    It decodes the prompt together with what the model wrote, and takes the first 0 or 1 in all of
    it. So a prompt that has one of the two anywhere decides the value, whatever the model wrote:
    the first demonstration does.
    """
    found = _BINARY.search(prompt + response)
    return None if found is None else int(found[0])


def parse_score_json(response: str, scale_min: int = 1, scale_max: int = 5) -> ParsedScore:
    """Read the score of a reply that is one JSON object with a field `score`.

    White space, one Markdown fence, and thoughts before the object are passed over. The score is
    exactly a whole number on the scale, as a number or as the text of one. A field that is there
    twice must say the same twice.
    """
    if not response.strip():
        return _unparsed("empty_response")
    # First as it is: a tag within the object's own texts is no thought.
    found = only_object(response)
    if found is None:
        found = only_object(without_asides(response))
    if found is None:
        return _unparsed("not_json")
    if "score" not in found:
        return _unparsed("no_score_field")
    score = found["score"]
    if score is CONFLICT:
        return _unparsed("conflicting_scores")
    if isinstance(score, bool) or not isinstance(score, int | Decimal | str):
        return _unparsed("not_a_number")
    reading = (
        _read(score, scale_min, scale_max)
        if isinstance(score, str)
        else _on_scale(score, scale_min, scale_max)
    )
    return _untagged(reading)


def parse_verdict_json(judgment: str) -> ParsedLabel:
    """Read the winner, `pro`, `con` or `tie`, from the JSON object a judgment ends with.

    The object may stand alone, or behind prose, fenced or bare. Only the last one counts, and only
    at the very end: an example earlier in the prose is not the answer, nor is one that the judge
    goes on after. Its field `winner` must be one of the three words, in any case of letters.
    """
    if not judgment.strip():
        return ParsedLabel(None, "unparsed", "empty_response")
    found = last_object(judgment)
    if found is None:
        return ParsedLabel(None, "unparsed", "not_json")
    return read_winner(found.get("winner"))


def read_verdict(
    response: str | None,
    pro_label: str | None = None,
    con_label: str | None = None,
    outcome: str = "winner",
    finish_reason: str | None = None,
) -> ParsedLabel:
    """Read which side a reply makes the winner: `pro`, `con` or `tie`.

    The reply is a label alone, or it ends with a JSON object whose field `winner` (or `loser`)
    names one. A label alone answers what was asked for, so where that was the loser the other side
    has won.
    """
    text = response or ""
    sides = {(pro_label or "pro").casefold(): "pro", (con_label or "con").casefold(): "con"}
    written = text.strip()
    alone = _unwrapped(written) if len(written) <= _LONGEST_CONTENT else ""
    parsed = _side(alone.removesuffix("."), sides, is_loser=outcome == "loser")
    if parsed.label is None:
        found = last_object(text)
        if found is not None:
            is_loser = "winner" not in found and "loser" in found
            parsed = _side(found.get("loser" if is_loser else "winner"), sides, is_loser=is_loser)
        elif not written:
            parsed = ParsedLabel(None, "unparsed", "empty_response")
    if parsed.label is None and finish_reason in STOPPED:
        return ParsedLabel(None, "unparsed", STOPPED[finish_reason])
    return parsed


def _side(named: Any, sides: Mapping[str, str], *, is_loser: bool) -> ParsedLabel:
    label = named.strip().casefold() if isinstance(named, str) else ""
    parsed = read_winner(sides[label] if label in sides and len(sides) == 2 else named)
    if is_loser and parsed.label in ("pro", "con"):
        return parsed._replace(label="con" if parsed.label == "pro" else "pro")
    return parsed


def read_winner(named: Any) -> ParsedLabel:
    """Read a winner that was named in a field of its own."""
    if named is CONFLICT:
        return ParsedLabel(None, "unparsed", "both_labels")
    if named is None or (isinstance(named, str) and not named.strip()):
        return ParsedLabel(None, "unparsed", "no_winner")
    label = named.strip().casefold() if isinstance(named, str) else ""
    if label in _SIDES:
        return ParsedLabel(label, "parsed", None)
    is_both = {"pro", "con"} <= set(_WORD.findall(label))
    return ParsedLabel(None, "unparsed", "both_labels" if is_both else "not_a_label")


@lru_cache(maxsize=1024)
def parse_score_released(response: str) -> int | None:
    """Read a score as the program released with the speech-judge study does; None is its failure.

    Only an exact `1` to `5` counts. Text after a closing scratchpad tag, up to a second one,
    replaces the whole reply. With a closing score tag the content before it counts, from behind the
    first opening tag; where that is missing, from the seventh character on, an accident of the
    released program that is kept. Without a closing tag, what is left once opening tags, the word
    "score" and colons are taken away must be the number.
    """
    pieces = response.split("</scratchpad>")
    text = pieces[1] if len(pieces) > 1 else response
    end = text.find("</score>")
    if end >= 0:
        opening = text.find("<score>")
        content = text[opening + len("<score>") if opening >= 0 else 6 : end]
    else:
        content = text
        for noise in ("<score>", "score", "Score", ":"):
            content = content.replace(noise, "")
    content = content.strip()
    return int(content) if content in {"1", "2", "3", "4", "5"} else None


def _unparsed(reason: str) -> ParsedScore:
    return ParsedScore(None, "unparsed", reason)


def _untagged(reading: int | str) -> ParsedScore:
    """Return a score that stands in no tag, or why there is none."""
    if isinstance(reading, str):
        return _unparsed("not_a_number" if reading == "empty_score_tag" else reading)
    return ParsedScore(float(reading), "parsed", None)


def _score_label(response: str, scale_min: int, scale_max: int) -> ParsedScore:
    written = response.strip()
    if not written:
        return _unparsed("empty_response")
    if _PLAIN_NUMBER.fullmatch(written) and scale_min <= int(written) <= scale_max:
        return ParsedScore(float(written), "parsed", None)
    return _unparsed("not_a_label")


def without_asides(text: str) -> str:
    """Return a reply without what its judge thought aloud, by rule 2 of this module."""
    kept: list[str] = []
    position = 0
    name = ""  # of the region that is open, and where it opened
    opened_at = 0
    for tag in _ASIDE_TAG.finditer(text):
        closes, tag_name = bool(tag[1]), tag[2].lower()
        if name:
            if closes and tag_name == name:
                kept.append(text[position:opened_at])
                position, name = tag.end(), ""
        elif not closes:
            name, opened_at = tag_name, tag.start()
        elif position == 0:
            position = tag.end()
    kept.append(text[position : opened_at if name == "think" else len(text)])
    # Joined by a space, so that two halves around a region never make up a tag or a number.
    return " ".join(kept)


def _score_contents(text: str) -> list[str]:
    tags = list(_SCORE_TAG.finditer(text))
    ends = [tag.start() for tag in tags[1:]] + [len(text)]
    return [text[tag.end() : end] for tag, end in zip(tags, ends, strict=False) if not tag[1]]


def _read(content: str, scale_min: int, scale_max: int) -> int | str:
    """Return the score a tag holds, or the reason why it holds none."""
    content = content.strip()
    if not content:
        return "empty_score_tag"
    if len(content) > _LONGEST_CONTENT:
        return "not_a_number"
    number = _NUMBER.fullmatch(content) or _NUMBER.fullmatch(_unwrapped(content))
    if number is None:
        return "not_a_number"
    whole, fraction, denominator = number[1], number[2], number[3]
    if fraction and fraction.strip("0"):
        return "not_whole"
    if denominator is not None and int(denominator) != scale_max:
        return "wrong_denominator"
    return _on_scale(int(whole), scale_min, scale_max)


def _on_scale(number: int | Decimal, scale_min: int, scale_max: int) -> int | str:
    if isinstance(number, Decimal) and number != number.to_integral_value():
        return "not_whole"
    # Compared first: as an int, a number whose exponent is a billion has a billion digits.
    return int(number) if scale_min <= number <= scale_max else "out_of_range"


def _unwrapped(content: str) -> str:
    while (inner := within(content, _WRAPPERS)) != content:
        content = inner
    return content


def within(text: str, around: Iterable[tuple[str, str]]) -> str:
    """Return a text without the first pair of signs that stands around it; as it is without one."""
    for before, after in around:
        is_longer = len(text) > len(before) + len(after)
        if is_longer and text.startswith(before) and text.endswith(after):
            return text[len(before) : -len(after)].strip()
    return text
