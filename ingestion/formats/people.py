"""What people say: which of two answers is better, whether one shows a dispute, and who won."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingestion.batch import Reject
from ingestion.contracts import DisputeRow, PersonVerdictRow, PreferenceRow
from ingestion.formats.base import FileRow, reject, typed_row
from ingestion.landing import Landed
from ingestion.records import Format, Record, read_rows
from ingestion.sources.cells import id_text

PREFERENCES, DISPUTE_LABELS, HUMAN_VERDICTS = "preferences", "dispute-labels", "human-verdicts"
KINDS = (PREFERENCES, DISPUTE_LABELS, HUMAN_VERDICTS)
PREFERENCE_COLUMNS = (
    "question",
    "annotator",
    "answer_a",
    "answer_b",
    "model_a",
    "model_b",
    "choice",
)
DISPUTE_COLUMNS = ("answer", "question", "model", "annotator", "label")
VERDICT_COLUMNS = ("item", "annotator", "winner", "p_pro", "explanation", "at")
# A person may be named as a judge is, too.
_PERSON = "human/"
_NEEDED = {
    PREFERENCES: ("question", "annotator", "choice"),
    DISPUTE_LABELS: ("annotator", "label"),
    HUMAN_VERDICTS: ("item", "annotator", "winner"),
}
_COLUMNS = {
    PREFERENCES: PREFERENCE_COLUMNS,
    DISPUTE_LABELS: DISPUTE_COLUMNS,
    HUMAN_VERDICTS: VERDICT_COLUMNS,
}
_ROWS: Mapping[str, type[Any]] = {
    PREFERENCES: PreferenceRow,
    DISPUTE_LABELS: DisputeRow,
    HUMAN_VERDICTS: PersonVerdictRow,
}
# People, questions and debates are often numbered.
_IDS = ("question", "annotator", "item")


def read_people(landed: Landed, encoding: Format, kind: str) -> Iterator[FileRow | Reject]:
    """Yield what people said. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.
        kind: `PREFERENCES`, `DISPUTE_LABELS` or `HUMAN_VERDICTS`.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    # Who it was may be in another column.
    needed = [name for name in _NEEDED[kind] if kind != HUMAN_VERDICTS or name != "annotator"]
    for row in read_rows(landed.path, encoding, shown=landed.shown, required=needed):
        yield row if isinstance(row, Reject) else _typed(landed, row, encoding, kind)


def _typed(landed: Landed, record: Record, encoding: Format, kind: str) -> FileRow | Reject:
    columns = _COLUMNS[kind]
    absent = (None, "") if encoding == "csv" else (None,)
    known: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in record.fields.items():
        if value not in absent:
            (known if name in columns else rest)[name] = value
    if kind == HUMAN_VERDICTS and "annotator" not in known and "judge" in rest:
        judge = str(rest.pop("judge"))
        if not judge.startswith(_PERSON):
            reason = f"should be {_PERSON}NAME, or the column annotator be there; found {judge!r}"
            return reject(landed, record, "judge", reason)
        known["annotator"] = judge.removeprefix(_PERSON)
    for name in _IDS:
        if isinstance(known.get(name), int | float):
            known[name] = id_text(known[name])
    for name in ("choice", "winner"):
        if isinstance(known.get(name), str):
            known[name] = known[name].strip().casefold()
    lacking = _lacking(known, kind)
    if lacking is not None:
        return reject(landed, record, *lacking)
    return typed_row(landed, record, _ROWS[kind], known, required=_NEEDED[kind], extra=rest)


def _lacking(known: Mapping[str, Any], kind: str) -> tuple[str, str] | None:
    """Return which answer a row does not name, and how it could."""
    if kind == PREFERENCES:
        for side in ("a", "b"):
            if f"answer_{side}" not in known and f"model_{side}" not in known:
                return f"answer_{side}", f"is missing, and so is model_{side}; expected one of them"
    elif (
        kind == DISPUTE_LABELS and "answer" not in known and not {"question", "model"} <= set(known)
    ):
        return "answer", "is missing; expected the answer's id, or question and model instead"
    return None
