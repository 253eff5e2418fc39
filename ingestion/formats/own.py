"""Rostrum's own files of scores and of verdicts: JSON lines, CSV or Parquet, one row per answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingestion.batch import Reject
from ingestion.contracts import ScoreRow, VerdictRow
from ingestion.formats.base import FileRow, reject, typed_row
from ingestion.landing import Landed
from ingestion.records import Format, Record, read_rows

_TAIL = ("sample", "response", "tokens_in", "tokens_out", "latency_s", "cost_usd", "at")
SCORE_COLUMNS = ("item", "judge", "template", "dimension", "value", *_TAIL)
VERDICT_COLUMNS = (
    "item",
    "judge",
    "template",
    "pro_label",
    "con_label",
    "first_side",
    "outcome",
    "reasoning",
    "answer_order",
    "winner",
    "p_pro",
    *_TAIL,
)
# Columns that only a file of verdicts has.
ONLY_VERDICTS = frozenset(VERDICT_COLUMNS) - frozenset(SCORE_COLUMNS)
# One of them says what the judge answered.
_SCORE_ANSWERS = ("value", "response")
_VERDICT_ANSWERS = ("winner", "p_pro", "response")
_SMALL = ("winner", "first_side", "outcome")


def read_scores(landed: Landed, encoding: Format) -> Iterator[FileRow | Reject]:
    """Yield the rows of a file of scores. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    return _read(landed, encoding, ScoreRow, SCORE_COLUMNS, _SCORE_ANSWERS)


def read_verdicts(landed: Landed, encoding: Format) -> Iterator[FileRow | Reject]:
    """Yield the rows of a file of verdicts. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    return _read(landed, encoding, VerdictRow, VERDICT_COLUMNS, _VERDICT_ANSWERS)


def _read(
    landed: Landed,
    encoding: Format,
    kind: type[ScoreRow] | type[VerdictRow],
    columns: tuple[str, ...],
    answers: tuple[str, ...],
) -> Iterator[FileRow | Reject]:
    rows = read_rows(landed.path, encoding, shown=landed.shown, required=("item", "judge"))
    # CSV cannot tell an empty text from no text; the others can.
    absent = (None, "") if encoding == "csv" else (None,)
    names = frozenset(columns)
    for row in rows:
        yield row if isinstance(row, Reject) else _typed(landed, row, kind, names, answers, absent)


def _typed(
    landed: Landed,
    record: Record,
    kind: type[ScoreRow] | type[VerdictRow],
    columns: frozenset[str],
    answers: tuple[str, ...],
    absent: tuple[Any, ...],
) -> FileRow | Reject:
    known: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in record.fields.items():
        if value not in absent:
            (known if name in columns else rest)[name] = value
    if "item" in known and "judge" in known and not any(name in known for name in answers):
        others = " and ".join(f"'{name}'" for name in answers[1:])
        reason = f"is missing, and so is {others}; expected one of them"
        return reject(landed, record, answers[0], reason)
    for name in _SMALL:
        if kind is VerdictRow and isinstance(known.get(name), str):
            known[name] = known[name].strip().lower()
    return typed_row(landed, record, kind, known, extra=rest)
