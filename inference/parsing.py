"""From a judge's reply to a score: stated rules, no guessing. Pure functions of text.

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

Everything else is unparsed, with a reason from `REASONS`. A failure is never a number.
"""

from __future__ import annotations

import re
from typing import NamedTuple

REASONS = (
    "empty_response",
    "no_score_tag",
    "empty_score_tag",
    "not_a_number",
    "not_whole",
    "wrong_denominator",
    "out_of_range",
    "conflicting_scores",
)

_SCORE_TAG = re.compile(r"<\s*(/?)\s*score\s*>", re.IGNORECASE)
_ASIDE_TAG = re.compile(r"<\s*(/?)\s*(scratchpad|think)\s*>", re.IGNORECASE)
_NUMBER = re.compile(r"(-?[0-9]+)(?:\.([0-9]*))?(?:\s*/\s*([0-9]+)(?:\.(0*))?)?")
_WRAPPERS = (("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"), ("[", "]"))
# No way of writing one score is longer; a longer content is prose or digits run wild.
_LONGEST_CONTENT = 64


class ParsedScore(NamedTuple):
    """What a reply says.

    Attributes:
        value: The whole number, or None when there is no single certain one.
        status: `parsed` or `unparsed`.
        reason: None when parsed, else one of `REASONS`.
    """

    value: float | None
    status: str
    reason: str | None


def parse_score(response: str, scale_min: int = 1, scale_max: int = 5) -> ParsedScore:
    """Read the score a judge gave, by the rules at the top of this module.

    Args:
        response: The judge's raw reply.
        scale_min: The lowest score of the scale.
        scale_max: The highest score of the scale, and the only denominator accepted.
    """
    if not response.strip():
        return _unparsed("empty_response")
    contents = _score_contents(_without_asides(response))
    if not contents:
        return _unparsed("no_score_tag")
    readings = [_read(content, scale_min, scale_max) for content in contents]
    for reading in readings:
        if isinstance(reading, str):
            return _unparsed(reading)
    if len(set(readings)) > 1:
        return _unparsed("conflicting_scores")
    return ParsedScore(float(readings[0]), "parsed", None)


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


def _without_asides(text: str) -> str:
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
    number = _NUMBER.fullmatch(_unwrapped(content))
    if number is None:
        return "not_a_number"
    whole, fraction, denominator = number[1], number[2], number[3]
    if fraction and fraction.strip("0"):
        return "not_whole"
    if denominator is not None and int(denominator) != scale_max:
        return "wrong_denominator"
    value = int(whole)
    return value if scale_min <= value <= scale_max else "out_of_range"


def _unwrapped(content: str) -> str:
    for _ in range(_LONGEST_CONTENT):
        for before, after in _WRAPPERS:
            long_enough = len(content) > len(before) + len(after)
            if long_enough and content.startswith(before) and content.endswith(after):
                content = content[len(before) : -len(after)].strip()
                break
        else:
            return content
    return content
