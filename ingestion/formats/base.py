"""The shape of every format: records become drafts, and drafts typed rows or rejects."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic.dataclasses import dataclass as checked

from ingestion.answers.contracts import (
    AnswerRow,
    DisputeRow,
    PersonVerdictRow,
    PreferenceRow,
    ScoreRow,
    VerdictRow,
)
from ingestion.batch import Reject, original_of
from ingestion.json_values import as_json
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord
from ingestion.records import Record
from ingestion.times import utc_time
from warehouse.records.core import CONFIG, AnyText, Count, first_problem

AnyRow = AnswerRow | PreferenceRow | DisputeRow | PersonVerdictRow
_LINE = re.compile(r"record \d+ \((line \d+)\)")


@dataclass(frozen=True)
class Options:
    """Options of `rostrum import` that some formats use.

    Attributes:
        path: The file as the user named it: some formats have a second file in its folder.
        judge: The judge, where the file does not name it.
        scorer: The scorer of the file's own that holds the score.
        template: The prompt, where the file does not name it.
    """

    path: Path
    judge: str | None = None
    scorer: str | None = None
    template: str | None = None


@checked(frozen=True, slots=True, config=CONFIG)
class Facts:
    """Facts about an answer that Rostrum's own files have no column for.

    Attributes:
        unread: Why the file's own program could not read the reply, which is not read again.
        error_kind: The error of a request without an answer.
        also_called: Another name of the item, for when its first name is unknown.
        logprobs: Natural logarithms of the labels' probabilities, where all labels have one.
        token_logprobs: The reply's tokens, each with the alternatives in its place.
    """

    unread: str | None = None
    error_kind: str | None = None
    finish_reason: AnyText | None = None
    answer_format: str | None = None
    tokens_cached: Count | None = None
    also_called: str | None = None
    logprobs: Mapping[str, float] | None = None
    token_logprobs: list[tuple[str, dict[str, float]]] | None = None


_NO_FACTS = Facts()


class Draft(NamedTuple):
    """A row that is still to be checked.

    Attributes:
        values: By our names; None is an absent value.
        extra: Other content of the record, to be kept.
        names: The file's names of columns, where this row has others than the file's other rows.
    """

    kind: type[AnyRow]
    values: Mapping[str, Any]
    extra: Mapping[str, Any] = {}
    facts: Facts = _NO_FACTS
    names: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class FileRow:
    """One valid row and its place in the file.

    Attributes:
        answered_at: Its `at` in UTC.
    """

    record: Record
    row: AnyRow
    answered_at: datetime | None
    facts: Facts = field(default=_NO_FACTS)

    @property
    def source_record(self) -> str:
        """The place as the tables hold it: a line, a record, or a member."""
        line = _LINE.fullmatch(self.record.place)
        return line[1] if line else self.record.place


def typed_rows(
    landed: Landed,
    records: Iterable[Record | Reject],
    read: Callable[[Record], Iterable[Draft | BrokenRecord]],
    *,
    names: Mapping[str, str] | None = None,
    required: Sequence[str] = ("item", "judge"),
    light: Callable[[Record], Record] = lambda record: record,
) -> Iterator[FileRow | Reject]:
    """Yield the rows of each record, and a reject for each rule that one breaks.

    Args:
        read: Returns the drafts of a record.
        names: The file's names of our columns, for messages.
        required: Values that every row must have.
        light: Returns the part of a record that rows and rejects keep.
    """
    for record in records:
        if isinstance(record, Reject):
            yield record
            continue
        faults: list[tuple[str | None, str]] = []
        try:
            for draft in read(record):
                try:
                    yield _typed(light(record), draft, names or {}, required)
                except BrokenRecord as broken:
                    faults.append((broken.field, broken.reason))
        except BrokenRecord as broken:
            faults.append((broken.field, broken.reason))
        # Rows of one record may share a fault.
        for field_name, reason in dict.fromkeys(faults):
            original = original_of(light(record).fields)
            yield Reject(landed.shown, record.place, field_name, reason, original)


def _typed(
    record: Record, draft: Draft | BrokenRecord, names: Mapping[str, str], required: Sequence[str]
) -> FileRow:
    if isinstance(draft, BrokenRecord):
        raise draft
    if draft.names:
        names = {**names, **draft.names}
    values = {name: value for name, value in draft.values.items() if value is not None}
    for name in required:
        if name not in values:
            advice = "; name the judge with --judge" if name == "judge" and names else ""
            reason = f"is missing; expected on every row{advice}"
            raise BrokenRecord(names.get(name, name), reason)
    extra = {name: value for name, value in draft.extra.items() if value is not None}
    if extra:
        values["extra"] = as_json(extra)
    if isinstance(values.get("at"), datetime):
        values["at"] = values["at"].isoformat()
    try:
        row = draft.kind(**values)
    except ValidationError as error:
        name, reason = first_problem(error)
        raise BrokenRecord(names.get(name, name), reason) from None
    try:
        at = row.at if isinstance(row, AnswerRow) else None
        answered_at = None if at is None else utc_time(at)
    except ValueError as error:
        raise BrokenRecord(names.get("at", "at"), str(error)) from None
    return FileRow(record, row, answered_at, draft.facts)


def item_named_in(
    document: Mapping[str, Any], items: Sequence[str]
) -> tuple[type[ScoreRow] | type[VerdictRow], Any]:
    """Return the row that a sample's document makes, and the name of its item; None without one.

    Args:
        items: Fields with the name of a scored item; `debate_id` or `debate` names a debate.
    """
    fields: tuple[tuple[type[ScoreRow] | type[VerdictRow], Sequence[str]], ...] = (
        (VerdictRow, ("debate_id", "debate")),
        (ScoreRow, items),
    )
    for kind, names in fields:
        for name in names:
            if (item := document.get(name)) not in (None, ""):
                return kind, str(item) if isinstance(item, int) else item
    return ScoreRow, None
