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
from typing import Any

from inference.json_text import CONFLICT, only_object
from inference.oversight.items import ANSWER_ORDERS, ASKED_FOR
from inference.parliamentary.items import ASKED_TASKS
from inference.parliamentary.rulings import read_ruling
from inference.parsing import STOPPED, ParsedLabel, read_score, without_asides
from inference.speeches.topics import TOPIC
from inference.speeches.written import read_speech

_AROUND = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"), ("[", "]"), ("(", ")"),
    ("{", "}"), ("<", ">"), ('"', '"'), ("'", "'"), ("\u201c", "\u201d"), ("\u2018", "\u2019"),
    ("\u201e", "\u201c"), ("\u00ab", "\u00bb"),
)  # fmt: skip
_PARLIAMENTARY, _READING, _OVERSIGHT = "parliamentary", "reading", "oversight"
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
        response: The judge's raw reply; None counts as an empty one.
        pro_label: What the prompt called the pro side.
        con_label: What it called the con side.
        outcome: What was asked for. Where that was the loser, the other side has won.
        is_justified: Whether reasons were to come first.
        answer_format: How the answer was asked for; one of `ANSWER_FORMATS`, text unless given.
        finish_reason: Why the judge stopped. It explains a reply that cannot be read, and never
            takes away one that can.
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


def why_unreadable(line: Mapping[str, Any]) -> str | None:
    """Return why no score, verdict or answer can be had from an answer line; None where one can.

    A ruling of which anything is missing cannot be had whole, and has a reason too; so has a
    transcript that was never finished.

    Args:
        line: A journal's `answer` line with a reply.
    """
    answer_format, finish_reason = line.get("answer_format", "text"), line.get("finish_reason")
    if is_verdict(line):
        return read_reply(
            line["response"],
            line["pro_label"],
            line["con_label"],
            line["outcome"],
            is_justified=line["reasoning"],
            answer_format=answer_format,
            finish_reason=finish_reason,
        ).reason
    if "likelihoods" in line:
        statuses = [each["status"] for each in line["likelihoods"]]
        return next((status for status in statuses if status != "scored"), None)
    if line.get("item_kind") == "question":
        return _why_no_answer(line["response"], finish_reason)
    if line.get("item_kind") == TOPIC:
        return read_speech(line["response"], line["word_limit"], finish_reason).reason
    if line.get("item_kind") == _READING:
        status = line["transcript_status"]
        return None if status == "complete" else str(line["transcript_reason"]).split(":")[0]
    if line.get("item_kind") == _PARLIAMENTARY:
        return read_ruling(line["response"], line["task"], answer_format, finish_reason).reason
    if line.get("item_kind") == _OVERSIGHT:
        # It reads letters as this module does.
        from inference.oversight.judgements import read_judgement  # noqa: PLC0415

        return read_judgement(
            line["response"], line["asked_for"], line["answer_order"], answer_format, finish_reason
        ).reason
    return read_score(
        line["response"],
        line["scale_min"],
        line["scale_max"],
        answer_format,
        finish_reason,
        is_bare=line.get("item_kind") == "answer",
    ).reason


def _why_no_answer(response: str, finish_reason: str | None) -> str | None:
    """Return why a model's reply is no answer to its question; a short or cut one is one."""
    if finish_reason in ("refusal", "content_filter"):
        return STOPPED[finish_reason]
    if response.strip():
        return None
    return STOPPED.get(finish_reason or "", "empty_response")


def is_verdict(line: Mapping[str, Any]) -> bool:
    """Say whether an answer line is about a debate."""
    return "outcome" in line


def is_whole(line: Mapping[str, Any]) -> bool:
    """Say whether an answer line has what reading its reply takes."""
    if "metric" in line:
        return isinstance(line.get("likelihoods"), list)
    texts = [line.get("request_id"), line.get("response")]
    if line.get("item_kind") == "question":
        return _all_texts(texts)
    if line.get("item_kind") == TOPIC:
        return _all_texts(texts) and isinstance(line.get("word_limit"), int)
    if line.get("item_kind") == _READING:
        return _all_texts([*texts, line.get("transcript_status")])
    if line.get("item_kind") == _PARLIAMENTARY:
        return _all_texts(texts) and line.get("task") in ASKED_TASKS
    if line.get("item_kind") == _OVERSIGHT:
        is_known = (line.get("asked_for"), line.get("answer_order"))
        return _all_texts(texts) and is_known[0] in ASKED_FOR and is_known[1] in ANSWER_ORDERS
    if not is_verdict(line):
        scale = (line.get("scale_min"), line.get("scale_max"))
        return _all_texts(texts) and all(isinstance(end, int) for end in scale)
    texts += [line.get(name) for name in ("pro_label", "con_label", "outcome")]
    return _all_texts(texts) and isinstance(line.get("reasoning"), bool)


def _all_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


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
    while True:
        shorter = said.removesuffix(".").rstrip()
        for before, after in _AROUND:
            is_around = shorter.startswith(before) and shorter.endswith(after)
            if is_around and len(shorter) > len(before) + len(after):
                shorter = shorter[len(before) : -len(after)].strip()
                break
        if shorter == said:
            return said
        said = shorter
