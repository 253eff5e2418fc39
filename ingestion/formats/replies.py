"""What models answered to debatable questions: Rostrum's own columns, and the released form.

The released form is `{"generation": …, "id": …}`, one object a line, and does not say who answered.
An empty answer is an answer: it is kept, and has no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingestion.batch import Reject
from ingestion.contracts import ReplyRow
from ingestion.formats.base import FileRow, Options, typed_row
from ingestion.landing import Landed
from ingestion.records import Format, Record, read_rows
from ingestion.sources.cells import id_text

RELEASED_KEYS = frozenset({"generation", "id"})
REPLY_COLUMNS = (
    "question",
    "judge",
    "template",
    "response",
    "temperature",
    "top_p",
    "target_tokens",
    "retrieval",
    "is_trusted_only",
    "sample",
    "tokens_in",
    "tokens_out",
    "latency_s",
    "cost_usd",
    "at",
)
_REQUIRED = ("item", "judge", "response")
_NAMES = {"item": "question"}
_RELEASED_NAMES = {"item": "id", "response": "generation"}
_OF_RELEASED = ("generation", "id", "judge", "template")


def read_replies(landed: Landed, encoding: Format, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the answers of a file in Rostrum's own columns. Columns not known are kept in `extra`.

    Args:
        landed: The file.
        encoding: What it is written in.
        options: Who answered, and to which prompt, where the file does not say.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    required = ("question", "response")
    for row in read_rows(landed.path, encoding, shown=landed.shown, required=required):
        yield row if isinstance(row, Reject) else _own(landed, row, encoding, options)


def _own(landed: Landed, record: Record, encoding: Format, options: Options) -> FileRow | Reject:
    known: dict[str, Any] = {"judge": options.judge, "template": options.template}
    rest: dict[str, Any] = {}
    for name, value in record.fields.items():
        # CSV cannot tell an empty text from no text, and an empty answer is an answer.
        if value is None or (encoding == "csv" and value == "" and name != "response"):
            continue
        (known if name in REPLY_COLUMNS else rest)[name] = value
    question = known.pop("question", None)
    known["item"] = id_text(question) if isinstance(question, int | float) else question
    return typed_row(landed, record, ReplyRow, known, required=_REQUIRED, extra=rest, names=_NAMES)


def read_released(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield the answers of a file in the released form.

    Args:
        landed: The file.
        options: Who answered, and to which prompt, where a line does not say.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    for row in read_rows(landed.path, "jsonl", shown=landed.shown):
        if isinstance(row, Reject):
            yield row
            continue
        fields = row.fields
        known = {
            "item": id_text(fields.get("id")),
            "response": fields.get("generation"),
            "judge": fields.get("judge") or options.judge,
            "template": fields.get("template") or options.template,
        }
        rest = {name: value for name, value in fields.items() if name not in _OF_RELEASED}
        yield typed_row(
            landed, row, ReplyRow, known, required=_REQUIRED, extra=rest, names=_RELEASED_NAMES
        )
