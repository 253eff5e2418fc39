"""Verdicts of DebateBench's JudgeBench: one object a line, each with the judge's raw judgment."""

from collections.abc import Iterator
from typing import Any

from inference.parsing import parse_verdict_json, read_winner
from ingestion.answers.contracts import VerdictRow
from ingestion.batch import Reject
from ingestion.formats.base import (
    Facts,
    FileRow,
    Options,
    read_json_rows,
    reject,
    typed_row,
)
from ingestion.landing import Landed
from ingestion.records import Record

KEYS = frozenset({"debate_id", "judge_model", "judge_prompt", "judgment"})
_NAMES = {
    "item": "debate_id",
    "judge": "judge_model",
    "template": "judge_prompt",
    "sample": "run_number",
    "response": "judgment",
    "at": "timestamp",
}
_USED = {*_NAMES.values(), "winner"}


def read_judgebench(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the verdicts of a file, one object a line.

    Args:
        options: Of no use here: the file says it all.
    """
    del options
    return read_json_rows(landed, lambda record: [_typed(landed, record)])


def _typed(landed: Landed, record: Record) -> FileRow | Reject:
    fields = record.fields
    known: dict[str, Any] = {ours: fields.get(theirs) for ours, theirs in _NAMES.items()}
    if isinstance(known["template"], str):
        known["template"] = f"judgebench_{known['template']}"
    if not isinstance(known["response"], str):
        return reject(landed, record, "judgment", "is missing or no text; expected the raw reply")
    # The winner beside the judgment must be what the judgment says. It is never derived from the
    # scores, which may say otherwise.
    said, named = parse_verdict_json(known["response"]), read_winner(fields.get("winner"))
    if said.label is not None and named.label is not None and said.label != named.label:
        reason = f"is {fields['winner']!r} where the judgment's own JSON says {said.label!r}"
        return reject(landed, record, "winner", reason)
    extra = {name: value for name, value in fields.items() if name not in _USED}
    facts = Facts()
    if named.label is not None:
        known["winner"] = named.label
        if said.label is None:
            extra["judgment_unread"] = said.reason
    elif named.reason != "no_winner":
        extra["winner"] = fields["winner"]
        facts = Facts(unread=named.reason)
    return typed_row(landed, record, VerdictRow, known, extra=extra, names=_NAMES, facts=facts)
