"""Reading a run's journal into rows of the raw tables. Replies are parsed here."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from inference.errors import JournalCorrupt
from inference.journal import read_journal
from inference.parsing import parse_score, parse_score_released
from ingestion.batch import Reject, original_of, storable
from ingestion.contracts import JudgeRow, first_problem
from ingestion.times import utc_time

_ANSWERED = "answered"
_TEXT, _WHOLE, _NUMBER = ("text", str), ("a whole number", int), ("a number", int | float)
_HEADER = {
    "run_id": _TEXT, "experiment": _TEXT, "judge_id": _TEXT, "settings_hash": _TEXT,
    "code_version": _TEXT, "planned": _WHOLE,
}  # fmt: skip
# Columns of `raw.scores` that an answer line has under the same name: those it must, and may have.
_SAME = {
    "request_id": _TEXT, "dataset_id": _TEXT, "item_id": _TEXT, "template": _TEXT,
    "wording": _TEXT, "dimension": _TEXT, "sample": _WHOLE,
}  # fmt: skip
_SAME_IF_ANY = {
    "item_hash": _TEXT, "prompt_hash": _TEXT, "error_kind": _TEXT, "finish_reason": _TEXT,
    "response": _TEXT, "tokens_in": _WHOLE, "tokens_out": _WHOLE, "latency_s": _NUMBER,
    "cost_usd": _NUMBER,
}  # fmt: skip
_ONLY_ANSWERED = {"response": _TEXT, "scale_min": _WHOLE, "scale_max": _WHOLE}
_USED = {
    *_SAME, *_SAME_IF_ANY, *_ONLY_ANSWERED, "kind", "schema_version", "status", "answered_at",
}  # fmt: skip


@dataclass
class JournalContent:
    """What one journal holds.

    Attributes:
        header: The newest `run` line; None when there is none that can be used.
        started_at: When the run was first started.
        end: The `end` line, unless the run was started again after it.
        answers: Each request's last answered line, else its last line, as rows of `raw.scores`.
        rejects: Damaged lines.
        lines: Lines there are.
    """

    header: dict[str, Any] | None = None
    started_at: datetime | None = None
    end: dict[str, Any] | None = None
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    lines: int = 0


def read_journal_file(path: Path, label: str) -> JournalContent:
    """Read a journal whole. A journal that cannot be used has no header and a reject that says why.

    Args:
        path: The `responses.jsonl` of a run.
        label: The journal as messages and tables name it.
    """
    content = JournalContent()
    try:
        for line in read_journal(path):
            content.lines += 1
            _take(content, line, label)
    except (JournalCorrupt, OSError) as error:
        content.header = None
        content.rejects.append(Reject(label, "the journal", None, str(error), None))
        return content
    if content.lines and content.header is None and not content.rejects:
        reason = "has no 'run' line, so nobody can say which judge answered; run it again"
        content.rejects.append(Reject(label, "the journal", None, reason, None))
    return content


def _take(content: JournalContent, line: dict[str, Any], label: str) -> None:
    kind, place = line["kind"], f"line {content.lines}"
    if kind == "corrupt":
        reason = "is not a journal line; what it held is asked again by the next start of the run"
        content.rejects.append(Reject(label, place, None, reason, storable(str(line["text"]))))
        return
    try:
        if kind == "run":
            _check(line, _HEADER)
            judge_of(line)
            content.header, content.end = line, None
            content.started_at = content.started_at or utc_time(line["started_at"])
        elif kind == "end":
            utc_time(line["ended_at"])
            content.end = line
        elif kind == "answer":
            row = _score(line)
            earlier = content.answers.get(row["request_id"])
            # An error after an answer (another machine's, say) does not take the answer away.
            if (
                earlier is None
                or row["request_status"] == _ANSWERED
                or earlier["request_status"] != _ANSWERED
            ):
                content.answers[row["request_id"]] = row
    except (KeyError, TypeError, ValueError) as error:
        reason = f"is not a whole '{kind}' line: {_words(error)}"
        content.rejects.append(Reject(label, place, None, reason, original_of(line)))


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return " ".join(first_problem(error))
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


def _check(line: dict[str, Any], fields: dict[str, tuple[str, Any]]) -> None:
    for name, (expected, kind) in fields.items():
        if not isinstance(line[name], kind) or isinstance(line[name], bool):
            raise TypeError(f"{name} should be {expected}; found {line[name]!r}")


def judge_of(header: dict[str, Any]) -> JudgeRow:
    """Return the judge a journal's header describes."""
    provider, _, model = header["judge_id"].partition("/")
    return JudgeRow(
        judge_id=header["judge_id"],
        provider=header.get("provider") or provider,
        model=header.get("model") or model,
        family=header.get("family"),
        size_b_params=header.get("size_b_params"),
        settings=json.dumps(header["settings"], sort_keys=True),
        settings_hash=header["settings_hash"],
    )


def _score(line: dict[str, Any]) -> dict[str, Any]:
    _check(line, {**_SAME, "status": _TEXT})
    present = {name: kind for name, kind in _SAME_IF_ANY.items() if line.get(name) is not None}
    _check(line, present)
    row = {name: line.get(name) for name in (*_SAME, *_SAME_IF_ANY)}
    if row["response"] is not None:
        row["response"] = storable(row["response"])
    row["request_status"] = line["status"]
    row["answered_at"] = utc_time(line["answered_at"])
    row["value"] = row["value_released"] = row["parse_reason"] = None
    row["parse_status"] = "not_answered"
    if line["status"] == _ANSWERED:
        _check(line, _ONLY_ANSWERED)
        text = str(row["response"])
        row["value"], row["parse_status"], row["parse_reason"] = parse_score(
            text, line["scale_min"], line["scale_max"]
        )
        released = parse_score_released(text)
        row["value_released"] = None if released is None else float(released)
    if line.get("reused_from"):
        # Copied from another run of the same judge: this run paid and waited for nothing, and what
        # it counted again would be counted twice.
        row |= {"cost_usd": 0.0, "tokens_in": None, "tokens_out": None, "latency_s": None}
    rest = {name: value for name, value in line.items() if name not in _USED and value is not None}
    row["extra"] = original_of(rest) if rest else None
    return row
