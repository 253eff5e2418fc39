"""What every format hands over: typed rows, each with the place its number leads back to."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

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
from ingestion.records import Record, read_rows
from ingestion.times import utc_time
from warehouse.records.core import CONFIG, AnyText, Count, first_problem

AnyRow = AnswerRow | PreferenceRow | DisputeRow | PersonVerdictRow
_LINE = re.compile(r"record \d+ \((line \d+)\)")


@dataclass(frozen=True)
class Options:
    """What the user says about a file.

    Attributes:
        path: Where it lay: some formats have a second file beside it.
        judge: Who answered where the file does not say it; in files of one judge, whatever it says.
        scorer: Which of the file's own scorers holds the score; none when not given.
        template: Which prompt was used, where the file does not say it.
    """

    path: Path
    judge: str | None = None
    scorer: str | None = None
    template: str | None = None


@checked(frozen=True, slots=True, config=CONFIG)
class Facts:
    """What a format knows of an answer beyond the columns of Rostrum's own files.

    Attributes:
        unread: Why the file's own program could not read the reply; nothing is parsed then.
        error_kind: What went wrong, where there is no answer.
        finish_reason: Why the judge stopped.
        answer_format: How the answer was asked for.
        tokens_cached: Prompt tokens the endpoint had in its cache.
        also_called: What the item is called where its name alone is not known.
        logprobs: Natural logarithms of the labels' probabilities, where each label is known.
        token_logprobs: The reply's tokens, each with what else could have stood there.
    """

    unread: str | None = None
    error_kind: str | None = None
    finish_reason: AnyText | None = None
    answer_format: str | None = None
    tokens_cached: Count | None = None
    also_called: str | None = None
    logprobs: Mapping[str, float] | None = None
    token_logprobs: list[tuple[str, dict[str, float]]] | None = None


_NOTHING = Facts()


@dataclass(frozen=True, slots=True)
class FileRow:
    """One valid row and where it stands.

    Attributes:
        record: Its place and what the file has there.
        row: The same as a typed record.
        answered_at: Its `at` in UTC; None when the file does not say.
        facts: What else the format knows.
    """

    record: Record
    row: AnyRow
    answered_at: datetime | None
    facts: Facts = field(default=_NOTHING)

    @property
    def source_record(self) -> str:
        """The place in the file, as the tables hold it: a line, a record, or a member."""
        found = _LINE.fullmatch(self.record.place)
        return found[1] if found else self.record.place


def typed_row(
    landed: Landed,
    record: Record,
    kind: type[AnyRow],
    known: Mapping[str, Any],
    *,
    required: Sequence[str] = ("item", "judge"),
    extra: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
    facts: Facts = _NOTHING,
) -> FileRow | Reject:
    """Return a row, or why what the file has is none.

    Args:
        record: Where it stands.
        kind: Which record to make of it.
        known: Its values by our names; None is an absent one.
        required: What must be there.
        extra: What else the file says of it.
        names: What the file calls our columns, for messages.
        facts: What else the format knows.
    """
    names = names or {}
    values = {name: value for name, value in known.items() if value is not None}
    for name in required:
        if name not in values:
            advice = "; name the judge with --judge" if name == "judge" and names else ""
            return reject(
                landed, record, names.get(name, name), f"is missing; expected on every row{advice}"
            )
    kept = {name: value for name, value in (extra or {}).items() if value is not None}
    if kept:
        values["extra"] = as_json(kept)
    if isinstance(values.get("at"), datetime):
        values["at"] = values["at"].isoformat()
    try:
        row = kind(**values)
    except ValidationError as error:
        field_name, reason = first_problem(error)
        return reject(landed, record, names.get(field_name, field_name), reason)
    try:
        at = row.at if isinstance(row, AnswerRow) else None
        answered_at = None if at is None else utc_time(at)
    except ValueError as error:
        return reject(landed, record, names.get("at", "at"), str(error))
    return FileRow(record, row, answered_at, facts)


def reject(landed: Landed, record: Record, field_name: str | None, reason: str) -> Reject:
    """Return the reject for a record that is no valid row."""
    return Reject(landed.shown, record.place, field_name, reason, original_of(record.fields))


def named_in(
    document: Mapping[str, Any], items: Sequence[str]
) -> tuple[type[ScoreRow] | type[VerdictRow], Any]:
    """Return what was asked of a document, and the name of its debate or item; None without one.

    Args:
        document: What another tool keeps beside a sample.
        items: The fields that may name an item; `debate_id` or `debate` names a debate.
    """
    kinds: tuple[tuple[type[ScoreRow] | type[VerdictRow], Sequence[str]], ...] = (
        (VerdictRow, ("debate_id", "debate")),
        (ScoreRow, items),
    )
    for kind, fields in kinds:
        for field_name in fields:
            if (name := document.get(field_name)) not in (None, ""):
                return kind, str(name) if isinstance(name, int) else name
    return ScoreRow, None


def read_json_rows(
    landed: Landed, read: Callable[[Record], Iterable[FileRow | Reject]]
) -> Iterator[FileRow | Reject]:
    """Yield what each line of a file of JSON lines brings.

    Args:
        read: Returns the rows of a line.
    """
    for row in read_rows(landed.path, "jsonl", shown=landed.shown):
        if isinstance(row, Reject):
            yield row
        else:
            yield from read(row)
