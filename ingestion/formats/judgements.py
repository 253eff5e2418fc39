"""Rostrum's own files of judgements about stories: one row per question or transcript and judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ingestion.batch import Reject
from ingestion.formats.base import FileRow, reject, typed_row
from ingestion.landing import Landed
from ingestion.oversight.judgement_contracts import JudgementRow
from ingestion.records import Format, Record, read_rows

OVERSIGHT = "oversight"
_REQUIRED = ("item", "judge", "protocol")
JUDGEMENT_COLUMNS = tuple(field.name for field in fields(JudgementRow) if field.name != "extra")


def read_judgements(landed: Landed, encoding: Format) -> Iterator[FileRow | Reject]:
    """Yield the rows of a file of judgements. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    # CSV cannot tell an empty text from no text; the others can.
    absent = (None, "") if encoding == "csv" else (None,)
    for row in read_rows(landed.path, encoding, shown=landed.shown, required=_REQUIRED):
        yield row if isinstance(row, Reject) else _typed(landed, row, absent)


def _typed(landed: Landed, record: Record, absent: tuple[Any, ...]) -> FileRow | Reject:
    given = {name: value for name, value in record.fields.items() if value not in absent}
    known = {name: value for name, value in given.items() if name in JUDGEMENT_COLUMNS}
    rest = {name: value for name, value in given.items() if name not in known}
    if not {"p_answer_0", "choice", "response"} & known.keys():
        reason = "is missing, and so is what was judged; expected it, or p_answer_0, or choice"
        return reject(landed, record, "response", reason)
    if known.get("probe", "none") != "none" and "probed_answer" not in known:
        return reject(landed, record, "probed_answer", "is missing; expected 0 or 1")
    if "choice" in known and "p_answer_0" not in known:
        known.setdefault("asked_for", "choice")
    return typed_row(landed, record, JudgementRow, known, required=_REQUIRED, extra=rest)
