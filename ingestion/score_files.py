"""Reading Rostrum's own score files: JSON lines, CSV or Parquet, one row per answer of a judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ValidationError

from ingestion.batch import Reject, original_of
from ingestion.contracts import ScoreRow, first_problem
from ingestion.landing import Landed
from ingestion.records import Record, file_format, read_rows
from ingestion.times import utc_time

COLUMNS = (
    "item", "judge", "template", "dimension", "sample", "value", "response",
    "tokens_in", "tokens_out", "latency_s", "cost_usd", "at",
)  # fmt: skip


class FileRow(NamedTuple):
    """One valid row and where it stands.

    Attributes:
        record: Its place and its columns.
        score: The same as a typed record.
        answered_at: Its `at` in UTC; None when the file does not say.
    """

    record: Record
    score: ScoreRow
    answered_at: datetime | None


def read_score_file(landed: Landed, wanted_format: str | None = None) -> Iterator[FileRow | Reject]:
    """Yield every row of a score file, typed, or why it is none.

    Empty cells of CSV are absent. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        wanted_format: `csv`, `jsonl` or `parquet`; told from the file's name when not given.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    kind = file_format(landed.path, wanted_format)
    rows = read_rows(landed.path, kind, shown=landed.shown, required=("item", "judge"))
    # CSV cannot tell an empty text from no text; the others can.
    absent = (None, "") if kind == "csv" else (None,)
    for row in rows:
        yield row if isinstance(row, Reject) else _typed(landed.shown, row, absent)


def _typed(shown: str, record: Record, absent: tuple[Any, ...]) -> FileRow | Reject:
    known: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in record.fields.items():
        if value not in absent:
            (known if name in COLUMNS else rest)[name] = value
    for name in ("item", "judge"):
        if name not in known:
            return _reject(shown, record, name, "is missing; expected on every row")
    if "value" not in known and "response" not in known:
        return _reject(shown, record, "value", "is missing, and so is 'response'; expected one")
    if isinstance(known.get("at"), datetime):
        known["at"] = known["at"].isoformat()
    if rest:
        known["extra"] = json.dumps(rest, ensure_ascii=False, default=str, sort_keys=True)
    try:
        score = ScoreRow(**known)
    except ValidationError as error:
        return _reject(shown, record, *first_problem(error))
    try:
        answered_at = None if score.at is None else utc_time(score.at)
    except ValueError as error:
        return _reject(shown, record, "at", str(error))
    return FileRow(record, score, answered_at)


def _reject(shown: str, record: Record, field: str, reason: str) -> Reject:
    return Reject(shown, record.place, field, reason, original_of(record.fields))
