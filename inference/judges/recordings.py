"""Recorded answers of judges: a run's journal, a score or a verdict file, ready to be looked up.

Opening writes the recordings into a temporary file, all in one form, and keeps in memory only where
each one begins: 200,000 answers take some 50 MB instead of their texts' hundreds, and files that
cannot be read from the middle (CSV, Parquet) are as quick as those that can.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from inference.errors import FINAL_KINDS, BadSettings
from inference.journal import FILE_NAME, read_journal
from inference.judges.base import answer_text
from inference.kinds import KIND, kind_of_line
from inference.kinds.debates import DRAWN
from inference.kinds.protocol import Kind, request_key
from warehouse.records.strict_json import strict_json

_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
_WHOLE = ("tokens_in", "tokens_out", "tokens_cached")
# What is kept of a recorded answer, besides what it is looked up by.
_TEXTS = (
    "item_hash",
    "response",
    "error_kind",
    "error",
    "finish_reason",
    "answer_format",
    "model_version",
    "winner",
)
# A file that no run wrote does not say which kind it is about, but has a column that no other has.
_KINDS_BY_COLUMN = {
    "house_order": "parliamentary",
    "retrieval": "question",
    **dict.fromkeys(DRAWN, "debate"),
}
# Facts no column of a score file stands for.
_FROM_JOURNALS = ("omitted_parameters", "label_logprobs", "label_logprob_ceiling")
_KEPT = (*_TEXTS, *_WHOLE, *_FROM_JOURNALS)
# A whole transcript in one CSV cell.
_FIELD_CHARS = 16 * 2**20


class _Row(NamedTuple):
    judge: str | None
    item: str
    asks: str | None
    template: str | None
    sample: int
    fields: Mapping[str, Any]


def recordings_path(file: str) -> Path:
    """Return the file that a judge's setting `file` stands for: a folder means its journal.

    Raises:
        BadSettings: There is no such file.
    """
    path = Path(file).expanduser()
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise BadSettings(
            f"replay: there is no file {path}; the setting file names a run's {FILE_NAME} or its "
            "folder, or a score file (JSON lines, CSV or Parquet)"
        )
    return path


class Recordings:
    """The recorded answers of one judge. Made by `Recordings.open`; to be closed.

    Attributes:
        left_out: Damaged lines, and rows that hold no answer.
    """

    def __init__(self, spool: Any, index: Mapping[bytes, tuple[int, int]], left_out: int) -> None:
        self._spool = spool
        self._index = index
        self.left_out = left_out

    @classmethod
    def open(cls, path: Path, judge: str | None) -> Recordings:
        """Read a file. Of several recordings of one request the last one counts.

        Args:
            judge: The judge whose answers are wanted; None where the file holds only one.

        Raises:
            BadSettings: The file cannot be read, holds no such judge, or several and none is named.
        """
        judges: set[str] = set()
        index: dict[bytes, tuple[int, int]] = {}
        left_out = 0
        spool = tempfile.TemporaryFile(prefix="rostrum-replay-")  # noqa: SIM115
        try:
            place = 0
            for row in _rows(path):
                if row is None:
                    left_out += 1
                    continue
                judges.update((row.judge,) if row.judge is not None else ())
                if judge is not None and row.judge != judge:
                    continue
                if len(judges) > 1 and judge is None:
                    raise BadSettings(
                        f"replay: {path} holds answers of several judges, such as "
                        f"{', '.join(sorted(judges))}; name one with the setting judge"
                    )
                data = json.dumps(row.fields).encode()
                index[_key(row.item, row.asks, row.template, row.sample)] = place, len(data)
                spool.write(data)
                place += len(data)
            spool.flush()
            if judge is not None and judge not in judges:
                raise BadSettings(
                    f"replay: {path} holds no answers of judge '{judge}'; it holds those of "
                    f"{', '.join(sorted(judges)) or 'nobody'}"
                )
            return cls(spool, index, left_out)
        except BaseException:
            spool.close()
            raise

    def __len__(self) -> int:
        return len(self._index)

    def find(
        self, item: str, asks: Sequence[str | None], template: str, sample: int
    ) -> Mapping[str, Any] | None:
        """Return what is recorded of a request; None where nothing is.

        A recording that does not say what it was asked, or its template, stands for any.

        Args:
            asks: What a recording may say that was asked, the most telling first.
            sample: Which of the repeats.
        """
        for its_template, its_asks in product((template, None), asks):
            place = self._index.get(_key(item, its_asks, its_template, sample))
            if place is not None:
                found: dict[str, Any] = json.loads(
                    os.pread(self._spool.fileno(), place[1], place[0])
                )
                return found
        return None

    def close(self) -> None:
        """Let go of the temporary file."""
        self._spool.close()


def _kind_of(fields: Mapping[str, Any]) -> Kind:
    if "item_kind" not in fields:
        for column, name in _KINDS_BY_COLUMN.items():
            if column in fields:
                return KIND[name]
    return kind_of_line(fields)


def _key(item: str, asks: str | None, template: str | None, sample: int) -> bytes:
    # A third of the memory that the texts themselves would take.
    parts = json.dumps([item, asks, template, sample]).encode()
    return hashlib.blake2b(parts, digest_size=16).digest()


def _rows(path: Path) -> Iterator[_Row | None]:
    """Yield the recorded answers of a file, and None for each damaged or empty row."""
    kind = path.suffix.lower()
    try:
        if kind == ".csv":
            yield from (_score_row(fields, "") for fields in _csv_rows(path))
        elif kind == ".parquet":
            with pq.ParquetFile(path) as parquet:
                for batch in parquet.iter_batches(batch_size=1000):
                    yield from (_score_row(fields, None) for fields in batch.to_pylist())
        elif kind not in _JSON_SUFFIXES:
            raise BadSettings(
                f"replay: {path}: a file ending in '{path.suffix}' is not known; expected .jsonl, "
                ".csv or .parquet"
            )
        elif _is_journal(path):
            yield from _journal_rows(path)
        else:
            yield from (_score_row(fields, None) for fields in _json_rows(path))
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        raise BadSettings(f"replay: {path} cannot be read: {error}") from error


def _is_journal(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:
            return path.name == FILE_NAME
    return isinstance(first, dict) and {"kind", "schema_version"} <= first.keys()


def _journal_rows(path: Path) -> Iterator[_Row | None]:
    judge = None
    for line in read_journal(path):
        if line["kind"] == "corrupt":
            yield None
        elif line["kind"] == "run":
            judge = line.get("judge_id")
        elif line["kind"] == "answer" and (
            # What failed for good is an outcome like an answer; what may pass was never answered.
            line.get("status") == "answered" or line.get("error_kind") in FINAL_KINDS
        ):
            yield _row(judge, line.get("item_id"), line)


def _score_row(fields: Any, absent: str | None) -> _Row | None:
    """Return a score file's row; its response is made from its value where it has only that."""
    if not isinstance(fields, Mapping):
        return None
    fields = {name: value for name, value in fields.items() if value not in (None, absent)}
    for name in (*_WHOLE, "sample"):
        if name in fields:
            whole = _number(fields[name])
            fields[name] = int(whole) if whole is not None and whole.is_integer() else None
    if "response" not in fields and not isinstance(fields.get("winner"), str):
        value = _number(fields.get("value"))
        if value is None:
            return None
        # A score between two points stays what it is, and is read as none.
        fields["response"] = (
            answer_text(int(value)) if value.is_integer() else f"<score>\n{value}\n</score>"
        )
    for name in ("error_kind", "error", *_FROM_JOURNALS):
        fields.pop(name, None)
    return _row(fields.get("judge"), fields.get("item"), fields)


def _row(judge: Any, item: Any, fields: Mapping[str, Any]) -> _Row | None:
    asks, template = request_key(_kind_of(fields), fields), fields.get("template")
    sample = fields.get("sample", 0)
    texts_fit = all(
        isinstance(text, str | None) for text in (judge, fields.get("dimension"), template)
    )
    answers = fields.get("response", fields.get("winner"))
    answers = answers if fields.get("error_kind") is None else ""
    if not (texts_fit and isinstance(item, str) and isinstance(sample, int)):
        return None
    if not isinstance(answers, str):
        return None
    kept = {
        name: fields[name]
        for name in _KEPT
        if fields.get(name) is not None and (name not in _TEXTS or isinstance(fields[name], str))
    }
    return _Row(judge, item, asks, template, sample, kept)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _json_rows(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for line in file:
            if line.strip():
                try:
                    yield strict_json(line)
                except (ValueError, RecursionError):
                    yield None


def _csv_rows(path: Path) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(_FIELD_CHARS)
    with path.open(encoding="utf-8-sig", newline="") as file:
        for fields in csv.DictReader(file, strict=True):
            # Cells beyond the header's, or too few of them, are a row nobody can tell apart.
            is_whole = None not in fields and None not in fields.values()
            yield fields if is_whole else {}
