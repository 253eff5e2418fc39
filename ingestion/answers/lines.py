"""Answer lines into rows of raw: those of journals, imported answers, and stored replies."""

import json
from collections import defaultdict
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from inference.errors import JournalCorrupt
from inference.journal import read_places
from inference.kinds import KIND, kind_of_line
from inference.kinds.fields import BIG, NUMBER, TEXT, WHOLE, check
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
_HEADER_IF_ANY = {"item_file": TEXT}
# Columns of the raw tables that are fields of answer lines: required, and optional.
_SAME = {
    "request_id": TEXT,
    "dataset_id": TEXT,
    "template": TEXT,
    "wording": TEXT,
    "sample": WHOLE,
    "status": TEXT,
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
_COMMON = (*_SAME, *_SAME_IF_ANY, "extra")
# Other fields of an answer line, which no row holds as they are.
_OTHER = (
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
# Errors of a line with a missing field, or with one of another type.
NOT_WHOLE = (KeyError, TypeError, ValueError, AttributeError)


@lru_cache(maxsize=1024)
def _unused(names: tuple[str, ...]) -> tuple[str, ...]:
    """Fields of an answer line that no column holds; rows keep them in `extra`."""
    fields = (field for kind in KIND.values() for field in kind.line_fields)
    used = {*_SAME, *_SAME_IF_ANY, *_OTHER, *fields}
    return tuple(name for name in names if name not in used)


class LineRows(NamedTuple):
    """Rows of one answer line in the table of its kind, without the columns of its run."""

    table: str
    rows: list[Row]

    def add_to(self, rows: defaultdict[str, list[dict[str, Any]]]) -> None:
        """Append the rows, and those of their parts, to the rows of each table."""
        for row in self.rows:
            rows[self.table].append(row.row)
            for part, part_rows in row.parts.items():
                rows[part] += part_rows


def rows_of_line(line: Mapping[str, Any], number: int, *, is_checked: bool = False) -> LineRows:
    """Return the rows of an answer line, with its reply read.

    Args:
        number: Of the line in its file.
        is_checked: Whether it was made of a typed row; then `extra` is left to the caller.

    Raises:
        KeyError: A field is missing.
        TypeError: A field is of another type.
        ValueError: A field has an unknown value.
    """
    row = {name: line.get(name) for name in _COMMON} if is_checked else _checked(line)
    if row["response"] is not None:
        row["response"] = storable(row["response"])
    row["request_status"] = row.pop("status")
    at = line["answered_at"]
    row["answered_at"] = at if isinstance(at, datetime) else utc_time(at)
    row["parse_status"] = "not_answered"
    row["source_record"], row["line_number"] = f"line {number}", number
    kind = kind_of_line(line)
    return LineRows(kind.table.name, kind.values(row, line))


def _checked(line: Mapping[str, Any]) -> dict[str, Any]:
    row = check(line, _SAME, _SAME_IF_ANY)
    rest = {name: line[name] for name in _unused(tuple(line)) if line[name] is not None}
    row["extra"] = rest or None
    if line.get("reused_from"):
        # Copied from another run of the same judge, which paid and waited for it.
        row |= NOT_COUNTED_TWICE
    return row


@dataclass
class JournalContent:
    """Everything in a journal but its answers.

    Attributes:
        header: The newest `run` line; None when none can be used.
        started_at: First start of the run.
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

    def read_line(self, line: dict[str, Any], label: str) -> LineRows | None:
        """Return the rows of an answer line; take in any other line, and reject a damaged one."""
        kind = line["kind"]
        if kind == "corrupt":
            reason = (
                "is not a journal line; what it held is asked again by the next start of the run"
            )
            self._reject(label, reason, storable(str(line["text"])))
            return None
        try:
            if kind == "answer":
                return rows_of_line(line, self.lines)
            if kind == "run":
                check(line, _HEADER, _HEADER_IF_ANY)
                judge_of(line)
                self.header, self.end = line, None
                self.started_at = self.started_at or utc_time(line["started_at"])
            elif kind == "end":
                utc_time(line["ended_at"])
                self.end = line
        except NOT_WHOLE as error:
            self._reject(label, f"is not a whole '{kind}' line: {_words(error)}", original_of(line))
        return None

    def _reject(self, label: str, reason: str, original: str) -> None:
        self.rejects.append(Reject(label, f"line {self.lines}", None, reason, original))


def read_journal_file(path: Path, label: str, content: JournalContent) -> Generator[LineRows]:
    """Yield the rows of every whole answer line of a journal, and fill `content`.

    A journal that cannot be used ends without a header and with a reject that has the reason.
    """
    try:
        for content.place, line in read_places(path):
            content.lines += 1
            if (rows := content.read_line(line, label)) is not None:
                yield rows
    except (JournalCorrupt, OSError) as error:
        content.header = None
        content.rejects.append(Reject(label, "the journal", None, str(error), None))
        return
    if content.lines and content.header is None and not content.rejects:
        reason = "has no 'run' line, so nobody can say which judge answered; run it again"
        content.rejects.append(Reject(label, "the journal", None, reason, None))


def _words(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return " ".join(first_problem(error))
    return f"lacks {error}" if isinstance(error, KeyError) else str(error)


def judge_of(header: Mapping[str, Any]) -> JudgeRow:
    """Return the judge in a journal's header."""
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
