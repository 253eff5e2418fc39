"""Rostrum's own files of rulings on parliamentary debates: one row per debate, judge and task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inference.parliamentary.items import ALL, ASKED_TASKS, HOUSES, ROLES, SPEAKER_RANKS, TASKS
from ingestion.batch import Reject
from ingestion.formats.base import FileRow, reject, typed_row
from ingestion.formats.own import SCORE_COLUMNS
from ingestion.landing import Landed
from ingestion.parliamentary.ruling_contracts import RulingRow
from ingestion.records import Format, Record, read_rows

RULINGS = "rulings"
_SHOWN = ("has_motion", "has_info_slide")
_ONLY = (*_SHOWN, *TASKS, "house_order", "manual", "strategy")
_PLACES = (*HOUSES, *ROLES)
_SHARED = tuple(name for name in SCORE_COLUMNS if name not in ("dimension", "value"))
RULING_COLUMNS = (*_SHARED, "task", *_ONLY, *_PLACES)
# Columns that only a file of rulings has.
ONLY_RULINGS = frozenset((*_SHOWN, *TASKS, "house_order"))


def read_rulings(landed: Landed, encoding: Format) -> Iterator[FileRow | Reject]:
    """Yield the rows of a file of rulings. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    required = ("item", "judge", *_SHOWN)
    rows = read_rows(landed.path, encoding, shown=landed.shown, required=required)
    # CSV cannot tell an empty text from no text; the others can.
    absent = (None, "") if encoding == "csv" else (None,)
    for row in rows:
        yield row if isinstance(row, Reject) else _typed(landed, row, required, absent)


def _typed(
    landed: Landed, record: Record, required: tuple[str, ...], absent: tuple[Any, ...]
) -> FileRow | Reject:
    given = {name: value for name, value in record.fields.items() if value not in absent}
    known = {name: value for name, value in given.items() if name in RULING_COLUMNS}
    rest = {name: value for name, value in given.items() if name not in known}
    for name in ("task", "strategy", "house_order"):
        if isinstance(known.get(name), str):
            known[name] = known[name].strip().lower()
    # A row's speakers have either, and scores where it says nothing: ranks alone are rare.
    of_speakers = SPEAKER_RANKS if known.get("task") == SPEAKER_RANKS else "speaker_scores"
    for places, column in ((HOUSES, "house_ranks"), (ROLES, of_speakers)):
        by_place = {place: known.pop(place) for place in places if place in known}
        if by_place and column in known:
            first = next(iter(by_place))
            return reject(landed, record, first, f"is there beside '{column}'; leave one out")
        if by_place:
            known[column] = by_place
    supplied = [task for task in TASKS if task in known]
    if "task" not in known and len(supplied) in (1, len(TASKS)):
        known["task"] = supplied[0] if len(supplied) == 1 else ALL
    task = known.get("task")
    if task is None:
        reason = f"is missing; expected one of {', '.join(ASKED_TASKS)}"
        return reject(landed, record, "task", reason)
    if task in ASKED_TASKS and not supplied and "response" not in known:
        asked = " and ".join(TASKS) if task == ALL else task
        reason = f"is missing, and so is what was ruled; expected it, or {asked}"
        return reject(landed, record, "response", reason)
    if task in ASKED_TASKS and supplied and supplied != list(TASKS if task == ALL else (task,)):
        reason = (
            f"is '{task}', and the row gives {' and '.join(supplied)}; expected all that was asked "
            "for and no more, or the reply alone in 'response'"
        )
        return reject(landed, record, "task", reason)
    return typed_row(landed, record, RulingRow, known, required=required, extra=rest)
