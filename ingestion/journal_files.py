"""Reading a run's journal into rows of the raw tables. Replies are parsed here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from inference.debates.variants import OUTCOMES, read_labels
from inference.debates.verdicts import is_verdict, read_reply
from inference.errors import JournalCorrupt
from inference.journal import read_journal
from inference.labels import LabelProbability
from inference.parsing import parse_score_released, read_score
from inference.speeches.topics import TOPIC
from ingestion.batch import Reject, original_of, storable
from ingestion.contracts import JudgeRow, first_problem
from ingestion.debates.probabilities import probability_of_pro, probability_rows
from ingestion.journal_fields import NUMBER, TEXT, TRUTH, WHOLE, check, check_if_any
from ingestion.json_values import as_json
from ingestion.oversight.journal import FIELDS, JUDGEMENTS, TRANSCRIPTS, add_debated, add_judgement
from ingestion.parliamentary.journal import CHOSEN, add_adjudication
from ingestion.questions.journal import (
    ASKED,
    Unpaired,
    add_reply,
    likelihood_rows,
    shared_by_pairs,
)
from ingestion.speeches.written import TABLE as WRITTEN
from ingestion.speeches.written import add_written
from ingestion.times import utc_time

_ANSWERED = "answered"
# What a line is about, where it says so: older ones are about speeches and debates.
_QUESTION, OF_ANSWER, _PARLIAMENTARY = "question", "answer", "parliamentary"
_READING, _OVERSIGHT = "reading", "oversight"
# Rows that hang on an answer, by table.
Parts = Mapping[str, list[dict[str, Any]]]
PROBABILITIES = "label_probabilities"
_HEADER = {
    "run_id": TEXT, "experiment": TEXT, "judge_id": TEXT, "settings_hash": TEXT,
    "code_version": TEXT, "planned": WHOLE,
}  # fmt: skip
# Columns of the raw tables that an answer line has under the same name, must or may.
_SAME = {
    "request_id": TEXT, "dataset_id": TEXT, "template": TEXT, "wording": TEXT,
    "sample": WHOLE,
}  # fmt: skip
_OF_SCORES = {"item_id": TEXT, "dimension": TEXT}
_OF_VERDICTS = {
    "verbalizer": TEXT, "position": TEXT, "pro_label": TEXT, "con_label": TEXT,
    "first_side": TEXT, "outcome": TEXT, "reasoning": TRUTH,
}  # fmt: skip
_SAME_IF_ANY = {
    "item_hash": TEXT, "prompt_hash": TEXT, "error_kind": TEXT, "finish_reason": TEXT,
    "response": TEXT, "tokens_in": WHOLE, "tokens_out": WHOLE, "latency_s": NUMBER,
    "cost_usd": NUMBER, "answer_format": TEXT, "attempts": WHOLE, "tokens_cached": WHOLE,
}  # fmt: skip
_RESPONSE = {"response": TEXT}
_SCALE = {"scale_min": WHOLE, "scale_max": WHOLE}
_OF_ANSWERS = {"value_released": NUMBER}
_USED = {
    *_SAME, *_OF_SCORES, *_OF_VERDICTS, *_SAME_IF_ANY, *_RESPONSE, *_SCALE, "kind",
    "schema_version", "status", "answered_at", "labels", "label_logprobs", "label_logprob_ceiling",
    "item_kind", "metric", "likelihoods", "answer_token_count", "documents", *ASKED, *_OF_ANSWERS,
    *CHOSEN, *FIELDS, "word_limit",
}  # fmt: skip
_ALWAYS = {**_SAME, "status": TEXT}
_SIDES = ("pro", "con")
_NOT_COUNTED_TWICE = {
    "cost_usd": 0.0, "tokens_in": None, "tokens_out": None, "tokens_cached": None,
    "latency_s": None, "attempts": None,
}  # fmt: skip


@dataclass
class JournalContent:
    """What one journal holds besides its answers.

    Attributes:
        header: The newest `run` line; None when there is none that can be used.
        started_at: When the run was first started.
        end: The `end` line, unless the run was started again after it.
        rejects: Damaged lines.
        lines: Lines there are.
        unpaired: Requests for likelihoods that brought none.
    """

    header: dict[str, Any] | None = None
    started_at: datetime | None = None
    end: dict[str, Any] | None = None
    rejects: list[Reject] = field(default_factory=list)
    lines: int = 0
    unpaired: Unpaired = field(default_factory=Unpaired)


class Answer(NamedTuple):
    """What one `answer` line becomes, or of one about several perspectives one of them.

    Attributes:
        table: Where it belongs: `scores`, `verdicts`, `answers`, `likelihoods`, `adjudications`,
            `oversight_transcripts`, `oversight_judgements` or `written_speeches`.
        row: Its row there, but for what its run's header says.
        parts: What it holds besides, as rows by their table.
    """

    table: str
    row: dict[str, Any]
    parts: Parts


def read_journal_file(path: Path, label: str, content: JournalContent) -> Iterator[Answer]:
    """Yield what every whole answer line of a journal holds, and fill `content` on the way.

    A journal that cannot be used ends without a header and with a reject that says why.

    Args:
        path: The `responses.jsonl` of a run.
        label: The journal as messages and tables name it.
        content: What else the journal holds.
    """
    try:
        for line in read_journal(path):
            content.lines += 1
            yield from _take(content, line, label)
    except (JournalCorrupt, OSError) as error:
        content.header = None
        content.rejects.append(Reject(label, "the journal", None, str(error), None))
        return
    if content.lines and content.header is None and not content.rejects:
        reason = "has no 'run' line, so nobody can say which judge answered; run it again"
        content.rejects.append(Reject(label, "the journal", None, reason, None))


def _take(content: JournalContent, line: dict[str, Any], label: str) -> list[Answer]:
    kind, place = line["kind"], f"line {content.lines}"
    if kind == "corrupt":
        reason = "is not a journal line; what it held is asked again by the next start of the run"
        content.rejects.append(Reject(label, place, None, reason, storable(str(line["text"]))))
        return []
    try:
        if kind == "answer":
            return _answers(content, line)
        if kind == "run":
            check(line, _HEADER)
            judge_of(line)
            content.header, content.end = line, None
            content.started_at = content.started_at or utc_time(line["started_at"])
        elif kind == "end":
            utc_time(line["ended_at"])
            content.end = line
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"is not a whole '{kind}' line: {_words(error)}"
        content.rejects.append(Reject(label, place, None, reason, original_of(line)))
    return []


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return " ".join(first_problem(error))
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


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


def _answers(content: JournalContent, line: dict[str, Any]) -> list[Answer]:
    place = content.lines
    check(line, _ALWAYS)
    row = {name: line[name] for name in _SAME} | check_if_any(line, _SAME_IF_ANY)
    if row["response"] is not None:
        row["response"] = storable(row["response"])
    row["request_status"] = line["status"]
    row["answered_at"] = utc_time(line["answered_at"])
    row["parse_status"] = "not_answered"
    row["source_record"], row["line_number"] = f"line {place}", place
    rest = {name: value for name, value in line.items() if name not in _USED and value is not None}
    if line.get("reused_from"):
        # Copied from another run of the same judge: this run paid and waited for nothing, and what
        # it counted again would be counted twice.
        row |= _NOT_COUNTED_TWICE
    row["extra"] = as_json(rest) if rest else None
    if "metric" in line:
        return _likelihoods(content, row, line)
    if line.get("item_kind") == _QUESTION:
        return [Answer("answers", row, add_reply(row, line))]
    if line.get("item_kind") == TOPIC:
        add_written(row, line)
        return [Answer(WRITTEN, row, {})]
    if line.get("item_kind") == _PARLIAMENTARY:
        return [Answer("adjudications", row, add_adjudication(row, line))]
    if line.get("item_kind") == _READING:
        return [Answer(TRANSCRIPTS, row, add_debated(row, line))]
    if line.get("item_kind") == _OVERSIGHT:
        add_judgement(row, line)
        return [Answer(JUDGEMENTS, row, {})]
    if is_verdict(line):
        return [Answer("verdicts", row, {PROBABILITIES: _add_verdict(row, line, place)})]
    return [Answer("scores", row, {PROBABILITIES: _add_score(row, line, place)})]


def _likelihoods(
    content: JournalContent, row: dict[str, Any], line: dict[str, Any]
) -> list[Answer]:
    unpaired, request_id = content.unpaired, row["request_id"]
    if line["status"] != _ANSWERED:
        why = str(line.get("error_kind")), str(line.get("error"))
        unpaired.failed[request_id] = (shared_by_pairs(row, line), *why)
        return []
    rows = likelihood_rows(row, line)
    unpaired.paired.add(request_id)
    return [Answer("likelihoods", each, {}) for each in rows]


def _add_score(row: dict[str, Any], line: dict[str, Any], place: int) -> list[dict[str, Any]]:
    check(line, _OF_SCORES)
    row |= {name: line[name] for name in _OF_SCORES} | check_if_any(line, {"item_kind": TEXT})
    is_of_answer = row["item_kind"] == OF_ANSWER
    if is_of_answer:
        # The scale of a question put to judges alone is in no table; a later reading needs it.
        scale = check_if_any(line, _SCALE)
        row["extra"] = as_json(json.loads(row["extra"] or "{}") | scale)
    if line["status"] == _ANSWERED:
        check(line, _RESPONSE | _SCALE)
        text = str(row["response"])
        # Lines of before there were others do not say how the answer was asked for.
        row["answer_format"] = row["answer_format"] or "text"
        row["value"], row["parse_status"], row["parse_reason"] = read_score(
            text, line["scale_min"], line["scale_max"], row["answer_format"], row["finish_reason"],
            is_bare=is_of_answer,
        )  # fmt: skip
        # The released rule for answers reads the prompt too, which only the run had.
        released = (
            check_if_any(line, _OF_ANSWERS)["value_released"]
            if is_of_answer
            else parse_score_released(text)
        )
        row["value_released"] = None if released is None else float(released)
    return _probabilities(line, place)[0]


def _add_verdict(row: dict[str, Any], line: dict[str, Any], place: int) -> list[dict[str, Any]]:
    check(line, {"item_id": TEXT, **_OF_VERDICTS})
    if line["outcome"] not in OUTCOMES or line["first_side"] not in _SIDES:
        raise ValueError(
            f"outcome should be winner or loser, and first_side pro or con; found "
            f"{line['outcome']!r} and {line['first_side']!r}"
        )
    read_labels(f"{line['pro_label']}/{line['con_label']}")
    row |= {name: line[name] for name in _OF_VERDICTS} | {"debate_id": line["item_id"]}
    if line["status"] == _ANSWERED:
        check(line, _RESPONSE)
        row["answer_format"] = row["answer_format"] or "text"
        row["winner"], row["parse_status"], row["parse_reason"] = read_reply(
            row["response"], line["pro_label"], line["con_label"], line["outcome"],
            is_justified=line["reasoning"], answer_format=row["answer_format"],
            finish_reason=row["finish_reason"],
        )  # fmt: skip
    rows, found = _probabilities(line, place)
    row |= probability_of_pro(found, line["pro_label"], line["con_label"], line["outcome"])
    return rows


def _probabilities(
    line: dict[str, Any], place: int
) -> tuple[list[dict[str, Any]], Mapping[str, LabelProbability]]:
    logprobs = line.get("label_logprobs")
    if not logprobs:
        return [], {}
    labels = line.get("labels") or list(logprobs)
    if not isinstance(logprobs, dict) or not isinstance(labels, list):
        raise TypeError("label_logprobs should be an object, and labels a list")
    if not all(isinstance(label, str) for label in labels):
        raise TypeError(f"labels should be texts; found {labels!r}")
    ceiling = line.get("label_logprob_ceiling")
    rows, found = probability_rows(line["request_id"], labels, logprobs, ceiling)
    return [{**row, "line_number": place} for row in rows], found
