"""Which format a file is in: told by what it holds, or named by the user."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable
from ingestion.formats import fastchat, inspect_log, judgebench, lm_eval, own, people, replies
from ingestion.formats.base import FileRow, Options
from ingestion.formats.inspect_zip import is_inspect_zip
from ingestion.formats.judgements import OVERSIGHT, read_judgements
from ingestion.formats.rulings import ONLY_RULINGS, RULINGS, read_rulings
from ingestion.landing import Landed
from ingestion.records import FORMATS as ENCODINGS
from ingestion.records import Format, columns_of

_OWN = (
    "scores",
    "verdicts",
    RULINGS,
    OVERSIGHT,
    "answers",
    people.PREFERENCES,
    people.DISPUTE_LABELS,
    people.HUMAN_VERDICTS,
)
FORMATS = (*_OWN, "debateqa", "inspect", "lm-eval", "judgebench", "fastchat")
# Lines of a file that may be damaged before it is given up as JSON lines.
_LINES = 50
# One record with a whole debate and its prompts fits many times.
_LINE_AT_MOST = 64 * 2**20


def read_answers(
    landed: Landed, options: Options, wanted: str | None = None
) -> tuple[str, Iterator[FileRow | Reject]]:
    """Return a file's format and its rows.

    Args:
        landed: The file.
        options: What the user says about it.
        wanted: One of `FORMATS`, or csv, jsonl or parquet for Rostrum's own files; told from the
            file's content when not given.

    Raises:
        SourceUnreadable: There is no such format, or the file is not in it.
    """
    wanted = wanted.strip().lower() if wanted else None
    if wanted is not None and wanted not in (*FORMATS, *ENCODINGS):
        raise SourceUnreadable(
            f"ingestion: no format named '{wanted}'; expected one of {', '.join(FORMATS)}, or of "
            f"{', '.join(ENCODINGS)} for Rostrum's own files"
        )
    if landed.size == 0:
        raise SourceUnreadable(f"ingestion: {landed.shown} is empty; expected answers of a judge")
    if wanted in (*_OWN, *ENCODINGS):
        return _own(landed, wanted, options)
    found = wanted or _detected(landed)
    if found == "inspect":
        return found, inspect_log.read_inspect(landed, options)
    if found == "lm-eval":
        return found, lm_eval.read_lm_eval(landed, options)
    if found == "judgebench":
        return found, judgebench.read_judgebench(landed)
    if found == "fastchat":
        return found, fastchat.read_fastchat(landed, options)
    if found == "debateqa":
        return found, replies.read_released(landed, options)
    return _own(landed, found, options)


def _own(landed: Landed, wanted: str, options: Options) -> tuple[str, Iterator[FileRow | Reject]]:
    encoding: Format = _encoding(landed.path)
    for known in ENCODINGS:
        encoding = known if wanted == known else encoding
    found = wanted
    if wanted not in _OWN:
        names = set(columns_of(landed.path, encoding, shown=landed.shown))
        found = _about_questions(names) or _about_debates(names) or "scores"
    if found == "verdicts":
        return found, own.read_verdicts(landed, encoding)
    if found == RULINGS:
        return found, read_rulings(landed, encoding)
    if found == OVERSIGHT:
        return found, read_judgements(landed, encoding)
    if found == "answers":
        return found, replies.read_replies(landed, encoding, options)
    if found in people.KINDS:
        return found, people.read_people(landed, encoding, found)
    return found, own.read_scores(landed, encoding)


def _about_debates(names: set[str]) -> str | None:
    """Return which of Rostrum's own files about debates has these columns."""
    if {"item", "annotator", "winner"} <= names and "judge" not in names:
        return people.HUMAN_VERDICTS
    if {"judge", "protocol"} <= names and "winner" not in names:
        return OVERSIGHT
    if ONLY_RULINGS & names:
        return RULINGS
    return "verdicts" if own.ONLY_VERDICTS & names else None


def _about_questions(names: set[str]) -> str | None:
    """Return which of Rostrum's own files about questions has these columns."""
    if "item" in names:
        return None
    if {"question", "annotator", "choice"} <= names:
        return people.PREFERENCES
    if {"annotator", "label"} <= names and {"answer", "question"} & names:
        return people.DISPUTE_LABELS
    return "answers" if {"question", "response"} <= names else None


def _encoding(path: Path) -> Format:
    with path.open("rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if start[:1] in (b"{", b"[") else "csv"


def _detected(landed: Landed) -> str:
    path = landed.path
    with path.open("rb") as file:
        start = file.read(4)
    if start[:2] == b"PK":
        if is_inspect_zip(path):
            return "inspect"
        raise _unknown(landed, "it is a zip without the header of an Inspect log")
    encoding = _encoding(path)
    if encoding != "jsonl":
        names = (
            _csv_header(path)
            if encoding == "csv"
            else columns_of(path, encoding, shown=landed.shown)
        )
        if {"item", "judge"} & set(names) or _about_questions(set(names)):
            return encoding
        raise _unknown(landed, f"it has the columns {_listed(names)}")
    first = _first_object(path)
    if first is None:
        if _is_document(path):
            return "inspect"
        raise _unknown(landed, f"none of its first {_LINES} lines is a JSON object")
    return _kind_of(first, landed)


def _csv_header(path: Path) -> list[str]:
    with path.open("rb") as file:
        line = file.readline(2**16).decode("utf-8-sig", "replace")
    return [name.strip() for name in next(csv.reader([line]), [])]


def _kind_of(first: dict[str, Any], landed: Landed) -> str:
    keys = set(first)
    for kind, needed in (
        ("inspect", inspect_log.KEYS),
        ("lm-eval", lm_eval.KEYS),
        ("judgebench", judgebench.KEYS),
        ("debateqa", replies.RELEASED_KEYS),
        ("fastchat", fastchat.PAIR_KEYS),
        ("fastchat", fastchat.SINGLE_KEYS),
    ):
        if needed <= keys:
            return kind
    if {"item", "judge"} & keys or _about_questions(keys):
        return "jsonl"
    raise _unknown(landed, f"its first record has the fields {_listed(list(first))}")


def _first_object(path: Path) -> dict[str, Any] | None:
    with path.open("rb") as file:
        for _ in range(_LINES):
            line = file.readline(_LINE_AT_MOST)
            if not line:
                return None
            try:
                found = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and found:
                return found
    return None


def _is_document(path: Path) -> bool:
    """Say whether a file is one JSON document over many lines, or one very long one."""
    with path.open("rb") as file:
        start = file.read(2**16).removeprefix(b"\xef\xbb\xbf")
    return start.lstrip().startswith(b"{") and b'"eval"' in start


def _unknown(landed: Landed, what: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: {landed.shown}: cannot tell which format this is: {what}; expected one of "
        f"{', '.join(FORMATS)} (docs/import.md shows each): name it with --format"
    )


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:12]) or "none"
    return shown + (" and more" if len(names) > 12 else "")
