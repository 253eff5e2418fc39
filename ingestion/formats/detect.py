"""The format of a file: named by the user, or found from the file's content."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.formats import FORMATS, inspect_log, json_lines, lm_eval
from ingestion.formats.base import FileRow, Options
from ingestion.formats.own import ANSWERS, OWN, SCORES, own_kind, read_own
from ingestion.landing import Landed
from ingestion.records import FORMATS as ENCODINGS
from ingestion.records import Format, columns_of, require_utf8
from ingestion.sources.containers import MAX_RECORD_BYTES


class Foreign(NamedTuple):
    """A format of another program.

    Attributes:
        keys: Sets of fields, one of which its first record has.
        options: The options of `rostrum import` that it uses.
    """

    read: Callable[[Landed, Options], Iterator[FileRow | Reject]]
    keys: tuple[frozenset[str], ...]
    options: tuple[str, ...] = ()


# In the order in which a first record is compared with their keys.
FOREIGN: Mapping[str, Foreign] = {
    "inspect": Foreign(inspect_log.read_inspect, (inspect_log.KEYS,), ("judge", "scorer")),
    "lm-eval": Foreign(lm_eval.read_lm_eval, (lm_eval.KEYS,), ("judge",)),
    "judgebench": Foreign(json_lines.read_judgebench, (json_lines.JUDGEBENCH,)),
    "debateqa": Foreign(json_lines.read_debateqa, (json_lines.DEBATEQA,), ("judge", "template")),
    "fastchat": Foreign(
        json_lines.read_fastchat, (json_lines.FASTCHAT_PAIR, json_lines.FASTCHAT), ("judge",)
    ),
}
_OPTIONS = {name: foreign.options for name, foreign in FOREIGN.items()}
_OPTIONS[ANSWERS] = ("judge", "template")
# Damaged lines after which a file is no file of JSON lines.
_LINES = 50


def read_answers(
    landed: Landed, options: Options, wanted: str | None = None
) -> tuple[str, Iterator[FileRow | Reject]]:
    """Return a file's format and its rows.

    Args:
        wanted: One of `FORMATS`, or csv, jsonl or parquet for Rostrum's own files; found from the
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
    name = wanted or _detected(landed)
    encoding: Format = next((each for each in ENCODINGS if name == each), _encoding(landed.path))
    if name not in FOREIGN and name not in OWN:
        columns = columns_of(landed.path, encoding, shown=landed.shown)
        name = own_kind(set(columns)) or SCORES
    for option in ("judge", "scorer", "template"):
        if getattr(options, option) is not None and option not in _OPTIONS.get(name, ()):
            users = ", ".join(each for each, used in _OPTIONS.items() if option in used)
            raise UnknownSource(
                f"ingestion: {landed.shown} is read as {name}, which does not use --{option}; "
                f"leave it out (it is for {users})"
            )
    if name in FOREIGN:
        return name, FOREIGN[name].read(landed, options)
    return name, read_own(landed, encoding, name, options)


def _encoding(path: Path) -> Format:
    with path.open("rb") as file:
        start = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"PAR1"):
        return "parquet"
    return "jsonl" if start[:1] in (b"{", b"[") else "csv"


def _detected(landed: Landed) -> str:
    """Return a foreign format, or the encoding of one of Rostrum's own files."""
    path = landed.path
    with path.open("rb") as file:
        if file.read(2) == b"PK":
            if inspect_log.is_inspect_zip(path):
                return "inspect"
            raise _unknown(landed, "it is a zip without the header of an Inspect log")
    encoding = _encoding(path)
    if encoding == "jsonl":
        first = _first_object(path)
        if first is None:
            if _is_document(path):
                return "inspect"
            raise _unknown(landed, f"none of its first {_LINES} lines is a JSON object")
        for name, foreign in FOREIGN.items():
            if any(keys <= first.keys() for keys in foreign.keys):
                return name
        names, has = list(first), "its first record has the fields"
    elif encoding == "csv":
        require_utf8(path, landed.shown)
        with path.open("rb") as file:
            line = file.readline(2**16).decode("utf-8-sig", "replace")
        header = next(csv.reader(io.StringIO(line, newline="")), [])
        names, has = [name.strip() for name in header], "it has the columns"
    else:
        names, has = columns_of(path, encoding, shown=landed.shown), "it has the columns"
    if own_kind(set(names)):
        return encoding
    listed = ", ".join(repr(name) for name in names[:12]) or "none"
    raise _unknown(landed, f"{has} {listed}{' and more' if len(names) > 12 else ''}")


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
    """Whether a file is one JSON document over many lines, or one very long one."""
    with path.open("rb") as file:
        start = file.read(2**16).removeprefix(b"\xef\xbb\xbf")
    return start.lstrip().startswith(b"{") and b'"eval"' in start


def _unknown(landed: Landed, what: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: {landed.shown}: cannot tell which format this is: {what}; expected one of "
        f"{', '.join(FORMATS)} (docs/import.md shows each): name it with --format"
    )
