"""From a reply to the question who won to a verdict: which label it names, and whose that is.

A prompt that asks for the label alone is answered by a label alone; one that asks for reasons first
by its last line that is not empty. Around the label there may be white space, quotation marks,
brackets, Markdown emphasis and a full stop, and its letters may be of any case. Nothing else is
passed over: "A wins" is unparsed, and so is a reply that names both labels or none. What a judge
thought aloud between `<think>` or `<scratchpad>` tags is no part of its reply.

Where the endpoint was asked for JSON, the object's field `winner` (or `loser`) holds the label; a
reply that is no JSON is read as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from inference.debates.variants import Variant
from inference.json_text import CONFLICT, only_object
from inference.parsing import STOPPED, ParsedLabel, within, without_asides

if TYPE_CHECKING:
    from inference.judges.request import Request

_AROUND = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("<", ">"),
    ('"', '"'),
    ("'", "'"),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("\u201e", "\u201c"),
    ("\u00ab", "\u00bb"),
)
# No label with all that may be around it is longer.
_LONGEST = 64


def read_reply(
    response: str | None,
    pro_label: str,
    con_label: str,
    outcome: str,
    *,
    is_justified: bool,
    answer_format: str | None = None,
    finish_reason: str | None = None,
) -> ParsedLabel:
    """Return which side a reply makes the winner, `pro` or `con`, by the rules of this module.

    Args:
        outcome: What was asked for. Where that was the loser, the other side has won.
    """
    labels = {pro_label.casefold(): "pro", con_label.casefold(): "con"}
    text = response or ""
    parsed = _read_text(text, labels, is_justified=is_justified and answer_format in _WRITTEN)
    if answer_format == "json_schema" and text.strip():
        as_json = _read_json(text, labels, outcome)
        parsed = parsed if as_json.label is None and parsed.label is not None else as_json
    if parsed.label is None and finish_reason in STOPPED:
        return ParsedLabel(None, "unparsed", STOPPED[finish_reason])
    if parsed.label is not None and outcome == "loser":
        return parsed._replace(label="con" if parsed.label == "pro" else "pro")
    return parsed


# A label that an endpoint chose, or whose probability was taken, has no reasons before it.
_WRITTEN = (None, "text", "json_schema")


def _read_text(text: str, labels: Mapping[str, str], *, is_justified: bool) -> ParsedLabel:
    if not text.strip():
        return ParsedLabel(None, "unparsed", "empty_response")
    said = without_asides(text).strip()
    if is_justified:
        said = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    return _label(said, labels)


def _read_json(text: str, labels: Mapping[str, str], outcome: str) -> ParsedLabel:
    found = only_object(text) or only_object(without_asides(text))
    if found is None:
        return ParsedLabel(None, "unparsed", "not_json")
    named = found.get(outcome)
    if named is CONFLICT:
        return ParsedLabel(None, "unparsed", "both_labels")
    if isinstance(named, int) and not isinstance(named, bool):
        named = str(named)
    if not isinstance(named, str) or not named.strip():
        return ParsedLabel(None, "unparsed", "no_winner")
    return _label(named, labels)


def _label(said: str, labels: Mapping[str, str]) -> ParsedLabel:
    side = labels.get(_bare(said).casefold()) if len(said.strip()) <= _LONGEST else None
    if side is not None:
        return ParsedLabel(side, "parsed", None)
    # The longer first, so that -1 is not taken for 1.
    names = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    named = set(re.findall(rf"(?<![\w-])(?:{names})(?!\w)", said.casefold()))
    reason = "both_labels" if len(named) == len(labels) else "not_a_label"
    return ParsedLabel(None, "unparsed", reason)


def _bare(said: str) -> str:
    said = said.strip()
    while (shorter := within(said.removesuffix(".").rstrip(), _AROUND)) != said:
        said = shorter
    return said


def verdict_text(request: Request, winner: str | None, reasons: str) -> str:
    """Return a reply in the answer format of the shipped prompts about debates.

    Args:
        winner: The side that has won, whatever is asked for; None for a judge that cannot say.
    """
    answer = "Neither." if winner is None else request.way(Variant).answer_for(winner)
    return f"{reasons}\n{answer}" if request.template.is_justified else answer
