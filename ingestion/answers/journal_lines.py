"""Reading a run's journal into rows of the raw tables. Replies are parsed here."""

import json
from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from inference.errors import JournalCorrupt
from inference.journal import read_places
from inference.kinds import KIND, kind_of_line
from inference.kinds.fields import BIG, NUMBER, TEXT, WHOLE, check, check_if_any
from inference.kinds.parts import NOT_COUNTED_TWICE, Row
from ingestion.batch import Reject, Rejects, original_of
from ingestion.json_values import storable
from ingestion.times import utc_time
from warehouse.records.core import JudgeRow, first_problem
from warehouse.records.ids import split_judge_id

_HEADER = {
    "run_id": TEXT,
    "experiment": TEXT,
    "judge_id": TEXT,
    "settings_hash": TEXT,
    "code_version": TEXT,
    "planned": BIG,
}
# Columns of the raw tables that an answer line has under the same name, must or may.
_SAME = {
    "request_id": TEXT,
    "dataset_id": TEXT,
    "template": TEXT,
    "wording": TEXT,
    "sample": WHOLE,
}
_SAME_IF_ANY = {
    "item_hash": TEXT,
    "prompt_hash": TEXT,
    "error_kind": TEXT,
    "finish_reason": TEXT,
    "response": TEXT,
    "tokens_in": BIG,
    "tokens_out": BIG,
    "latency_s": NUMBER,
    "cost_usd": NUMBER,
    "answer_format": TEXT,
    "attempts": WHOLE,
    "tokens_cached": BIG,
}
_STATUS = {"status": TEXT}
# What an answer line has besides, which no row holds as it is.
_USED = (
    "kind",
    "schema_version",
    "answered_at",
    "labels",
    "label_logprobs",
    "label_logprob_ceiling",
    "item_id",
    "item_kind",
    "part",
)
# What reading a line that lacks something, or has something of another type, raises.
_NOT_WHOLE = (KeyError, TypeError, ValueError, AttributeError)


@lru_cache(maxsize=1024)
def _unused(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return which fields of an answer line no row holds, though somebody may need them."""
    fields = (field for kind in KIND.values() for field in kind.line_fields)
    used = {*_SAME, *_SAME_IF_ANY, *_STATUS, *_USED, *fields}
    return tuple(name for name in names if name not in used)


class OtherLine(NamedTuple):
    """A line that is no answer, and its number. What it says depends on those before it."""

    line: dict[str, Any]
    number: int


@dataclass
class JournalContent:
    """What one journal holds besides its answers.

    Attributes:
        header: The newest `run` line; None when there is none that can be used.
        started_at: When the run was first started.
        end: The `end` line, unless the run was started again after it.
        rejects: Damaged lines.
        lines: Lines read so far.
        place: The byte at which the last of them begins.
    """

    header: dict[str, Any] | None = None
    started_at: datetime | None = None
    end: dict[str, Any] | None = None
    rejects: list[Reject] = field(default_factory=Rejects)
    lines: int = 0
    place: int = 0

    def take(self, found: Reject | OtherLine, label: str) -> None:
        """Take in what `read_line` returned for the next line that has no rows."""
        if isinstance(found, Reject):
            self.rejects.append(found)
            return
        line = found.line
        try:
            if line["kind"] == "run":
                check(line, _HEADER)
                check_if_any(line, {"item_file": TEXT})
                judge_of(line)
                self.header, self.end = line, None
                self.started_at = self.started_at or utc_time(line["started_at"])
            elif line["kind"] == "end":
                utc_time(line["ended_at"])
                self.end = line
        except _NOT_WHOLE as error:
            self.rejects.append(_not_whole(line, found.number, label, error))


class Made(NamedTuple):
    """What an answer line becomes.

    Attributes:
        table: Where it belongs.
        rows: Its rows there, but for what its run's header says, with what each holds besides.
    """

    table: str
    rows: list[Row]


def read_journal_file(path: Path, label: str, content: JournalContent) -> Generator[Made]:
    """Yield what every whole answer line of a journal holds, and fill `content` on the way.

    A journal that cannot be used ends without a header and with a reject that says why.

    Args:
        content: What else the journal holds.
    """
    try:
        for content.place, line in read_places(path):
            content.lines += 1
            found = read_line(line, content.lines, label)
            if isinstance(found, Made):
                yield found
            else:
                content.take(found, label)
    except (JournalCorrupt, OSError) as error:
        content.header = None
        content.rejects.append(Reject(label, "the journal", None, str(error), None))
        return
    if content.lines and content.header is None and not content.rejects:
        reason = "has no 'run' line, so nobody can say which judge answered; run it again"
        content.rejects.append(Reject(label, "the journal", None, reason, None))


def read_line(line: dict[str, Any], number: int, label: str) -> Made | Reject | OtherLine:
    """Return what an answer line becomes, why it becomes nothing, or a line that is no answer.

    It depends on no other line, so that lines can be read in any order.

    Args:
        line: The line, as `read_journal` yields it.
        label: The journal as messages name it.
    """
    if line["kind"] == "answer":
        try:
            return _made(line, number)
        except _NOT_WHOLE as error:
            return _not_whole(line, number, label, error)
    if line["kind"] == "corrupt":
        reason = "is not a journal line; what it held is asked again by the next start of the run"
        return Reject(label, f"line {number}", None, reason, storable(str(line["text"])))
    return OtherLine(line, number)


def _not_whole(line: dict[str, Any], number: int, label: str, error: Exception) -> Reject:
    reason = f"is not a whole '{line['kind']}' line: {_words(error)}"
    return Reject(label, f"line {number}", None, reason, original_of(line))


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return " ".join(first_problem(error))
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


def judge_of(header: dict[str, Any]) -> JudgeRow:
    """Return the judge a journal's header describes."""
    provider, model = split_judge_id(header["judge_id"])
    return JudgeRow(
        judge_id=header["judge_id"],
        provider=header.get("provider") or provider,
        model=header.get("model") or model,
        family=header.get("family"),
        size_b_params=header.get("size_b_params"),
        settings=json.dumps(header["settings"], sort_keys=True),
        settings_hash=header["settings_hash"],
    )


def _made(line: dict[str, Any], number: int) -> Made:
    row = check(line, _SAME, _SAME_IF_ANY)
    if row["response"] is not None:
        row["response"] = storable(row["response"])
    row["request_status"] = check(line, _STATUS)["status"]
    row["answered_at"] = utc_time(line["answered_at"])
    row["parse_status"] = "not_answered"
    row["source_record"], row["line_number"] = f"line {number}", number
    rest = {name: line[name] for name in _unused(tuple(line)) if line[name] is not None}
    if line.get("reused_from"):
        # Copied from another run of the same judge: this run paid and waited for nothing, and what
        # it counted again would be counted twice.
        row |= NOT_COUNTED_TWICE
    row["extra"] = rest or None
    kind = kind_of_line(line)
    return Made(kind.table.name, kind.rows(row, line))
