"""What people say of answers: which of two they prefer, and whether one shows a dispute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingestion.batch import Reject
from ingestion.contracts import DisputeRow, PreferenceRow
from ingestion.formats.base import FileRow, reject, typed_row
from ingestion.landing import Landed
from ingestion.records import Format, Record, read_rows
from ingestion.sources.cells import id_text

PREFERENCES, DISPUTE_LABELS = "preferences", "dispute-labels"
PREFERENCE_COLUMNS = (
    "question", "annotator", "answer_a", "answer_b", "model_a", "model_b", "choice",
)  # fmt: skip
DISPUTE_COLUMNS = ("answer", "question", "model", "annotator", "label")
_NEEDED = {
    PREFERENCES: ("question", "annotator", "choice"),
    DISPUTE_LABELS: ("annotator", "label"),
}
# People and questions are often numbered.
_IDS = ("question", "annotator")


def read_people(landed: Landed, encoding: Format, kind: str) -> Iterator[FileRow | Reject]:
    """Yield what people said. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.
        kind: `PREFERENCES` or `DISPUTE_LABELS`.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    for row in read_rows(landed.path, encoding, shown=landed.shown, required=_NEEDED[kind]):
        yield row if isinstance(row, Reject) else _typed(landed, row, encoding, kind)


def _typed(landed: Landed, record: Record, encoding: Format, kind: str) -> FileRow | Reject:
    columns = PREFERENCE_COLUMNS if kind == PREFERENCES else DISPUTE_COLUMNS
    absent = (None, "") if encoding == "csv" else (None,)
    known: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in record.fields.items():
        if value not in absent:
            (known if name in columns else rest)[name] = value
    for name in _IDS:
        if isinstance(known.get(name), int | float):
            known[name] = id_text(known[name])
    if isinstance(known.get("choice"), str):
        known["choice"] = known["choice"].strip().casefold()
    lacking = _lacking(known, kind)
    if lacking is not None:
        return reject(landed, record, *lacking)
    return typed_row(
        landed, record, PreferenceRow if kind == PREFERENCES else DisputeRow, known,
        required=_NEEDED[kind], extra=rest,
    )  # fmt: skip


def _lacking(known: Mapping[str, Any], kind: str) -> tuple[str, str] | None:
    """Return which answer a row does not name, and how it could."""
    if kind == PREFERENCES:
        for side in ("a", "b"):
            if f"answer_{side}" not in known and f"model_{side}" not in known:
                return f"answer_{side}", f"is missing, and so is model_{side}; expected one of them"
    elif "answer" not in known and not {"question", "model"} <= set(known):
        return "answer", "is missing; expected the answer's id, or question and model instead"
    return None
