"""Which format a file is in: told by what it holds, or named by the user."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.formats import (
    FOREIGN_NAMES,
    FORMATS,
    debateqa,
    fastchat,
    inspect_log,
    judgebench,
    lm_eval,
)
from ingestion.formats.base import FileRow, Options
from ingestion.formats.inspect_log import is_inspect_zip
from ingestion.formats.own import ANSWERS, OWN, SCORES, own_kind, read_own
from ingestion.landing import Landed
from ingestion.records import FORMATS as ENCODINGS
from ingestion.records import Format, columns_of, require_utf8
from ingestion.sources.containers import MAX_RECORD_BYTES

_FOREIGN: Mapping[str, Callable[[Landed, Options], Iterator[FileRow | Reject]]] = dict(
    zip(
        FOREIGN_NAMES,
        (
            debateqa.read_debateqa,
            inspect_log.read_inspect,
            lm_eval.read_lm_eval,
            judgebench.read_judgebench,
            fastchat.read_fastchat,
        ),
        strict=True,
    )
)
# The fields by which a first record gives itself away.
_KEYS = (
    ("inspect", inspect_log.KEYS),
    ("lm-eval", lm_eval.KEYS),
    ("judgebench", judgebench.KEYS),
    ("debateqa", debateqa.KEYS),
    ("fastchat", fastchat.PAIR_KEYS),
    ("fastchat", fastchat.SINGLE_KEYS),
)
# The formats that use an option of `rostrum import`.
_USED_BY: Mapping[str, tuple[str, ...]] = {
    "judge": ("inspect", "lm-eval", "fastchat", "debateqa", ANSWERS),
    "scorer": ("inspect",),
    "template": ("debateqa", ANSWERS),
}
# Lines of a file that may be damaged before it is given up as JSON lines.
_LINES = 50


def read_answers(
    landed: Landed, options: Options, wanted: str | None = None
) -> tuple[str, Iterator[FileRow | Reject]]:
    """Return a file's format and its rows.

    Args:
        options: What the user says about it.
        wanted: One of `FORMATS`, or csv, jsonl or parquet for Rostrum's own files; told from the
            file's content when not given.

    Raises:
        SourceUnreadable: There is no such format, or the file is not in it.
        UnknownSource: The format does not use an option.
    """
    wanted = wanted.strip().lower() if wanted else None
    if wanted is not None and wanted not in (*FORMATS, *ENCODINGS):
        raise SourceUnreadable(
            f"ingestion: no format named '{wanted}'; expected one of {', '.join(FORMATS)}, or of "
            f"{', '.join(ENCODINGS)} for Rostrum's own files"
        )
    if landed.size == 0:
        raise SourceUnreadable(f"ingestion: {landed.shown} is empty; expected answers of a judge")
    found = wanted or _detected(landed)
    if found in _FOREIGN:
        _refuse_unused(landed, found, options)
        return found, _FOREIGN[found](landed, options)
    encoding = next((known for known in ENCODINGS if found == known), _encoding(landed.path))
    if found not in OWN:
        names = columns_of(landed.path, encoding, shown=landed.shown)
        found = own_kind(set(names)) or SCORES
    _refuse_unused(landed, found, options)
    return found, read_own(landed, encoding, found, options)


def _refuse_unused(landed: Landed, found: str, options: Options) -> None:
    for name, formats in _USED_BY.items():
        if getattr(options, name) is not None and found not in formats:
            raise UnknownSource(
                f"ingestion: {landed.shown} is read as {found}, which does not use --{name}; leave "
                f"it out (it is for {', '.join(formats)})"
            )


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
    if encoding == "csv":
        require_utf8(path, landed.shown)
    if encoding != "jsonl":
        names = (
            _csv_header(path)
            if encoding == "csv"
            else columns_of(path, encoding, shown=landed.shown)
        )
        if own_kind(set(names)):
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
    return [name.strip() for name in next(csv.reader(io.StringIO(line, newline="")), [])]


def _kind_of(first: dict[str, Any], landed: Landed) -> str:
    keys = set(first)
    for kind, needed in _KEYS:
        if needed <= keys:
            return kind
    if own_kind(keys):
        return "jsonl"
    raise _unknown(landed, f"its first record has the fields {_listed(list(first))}")


def _first_object(path: Path) -> dict[str, Any] | None:
    with path.open("rb") as file:
        for _ in range(_LINES):
            line = file.readline(MAX_RECORD_BYTES)
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
