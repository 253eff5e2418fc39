"""`replay/NAME` plays back the answers in a journal, a score file or a verdict file, for nothing.

    [judges."replay/gpt-of-march".settings]
    file = "/data/scores.parquet"       # or a run's responses.jsonl, or its folder
    judge = "openai/gpt-4.1"            # where the file has several

An answer is played back for the same item, variant, template and sample, and only where the
recording, if it has the hash of a text, is about the present one. Of several recordings of one
request the last one counts.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Self

import pyarrow as pa
import pyarrow.parquet as pq

from inference.errors import FINAL_KINDS, BadSettings
from inference.journal import FILE_NAME, read_journal
from inference.judges.base import ANSWER_FORMATS, OfflineJudge, Reply, answer_text
from inference.judges.request import Request
from inference.kinds import KIND
from inference.kinds.debates import DRAWN
from inference.registry import JudgeSpec
from warehouse.files import sha256_file
from warehouse.records.strict_json import strict_json

_JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
# Fields of a recorded answer that make a reply: texts, whole numbers, and those of journals alone.
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
_WHOLE = ("tokens_in", "tokens_out", "tokens_cached")
_FROM_JOURNALS = ("omitted_parameters", "label_logprobs", "label_logprob_ceiling")
# A whole transcript in one CSV cell.
_FIELD_CHARS = 16 * 2**20


class ReplayJudge(OfflineJudge):
    """Judge that answers as recorded; other requests fail with `no_recording`."""

    def __init__(self, spec: JudgeSpec) -> None:
        if "file" not in spec.settings:
            raise BadSettings(
                f"replay: judge '{spec.judge_id}' has no setting file; name in judges.toml the "
                "journal or score file it plays back"
            )
        path = Path(spec.settings["file"]).expanduser()
        self._path = path / FILE_NAME if path.is_dir() else path
        if not self._path.is_file():
            raise BadSettings(
                f"replay: there is no file {self._path}; the setting file names a run's "
                f"{FILE_NAME} or its folder, or a score file (JSON lines, CSV or Parquet)"
            )
        self._judge: str | None = spec.settings.get("judge")
        self._recordings: Recordings | None = None

    @cached_property
    def _sha256(self) -> str:
        return sha256_file(self._path)

    def identity(self, request: Request) -> dict[str, Any]:
        """The text, and the file with all it holds."""
        return {**request.facts(), "file_sha256": self._sha256, "judge": self._judge}

    async def __aenter__(self) -> Self:
        self._recordings = Recordings(self._path, self._judge)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._recordings is not None:
            self._recordings.close()
            self._recordings = None

    async def ask(self, request: Request) -> Reply:
        """Play the recorded answer back."""
        if self._recordings is None:
            raise RuntimeError("replay: the judge was asked before it was opened")
        item, template = request.item, request.template.label
        fields = request.description.fields
        found = self._recordings.find(item.item_id, fields, template, request.sample)
        what = f"of {item.item_id}, {request.asks}, {template}, {request.sample}"
        if found is None:
            damaged = self._recordings.left_out
            aside = f" ({damaged} rows of it hold no answer that can be read)" if damaged else ""
            error = f"{self._path} holds no recording {what}{aside}"
            return Reply(error_kind="no_recording", error=error, cost_usd=0.0)
        if found.get("item_hash", item.item_hash) != item.item_hash:
            error = f"the recording {what} in {self._path} is about another text"
            return Reply(error_kind="no_recording", error=error, cost_usd=0.0)
        response = found.get("response")
        if response is None:
            response = request.description.recorded_reply(found)
        answer_format = found.get("answer_format", "text")
        return Reply(
            response=response,
            error_kind=found.get("error_kind"),
            error=found.get("error"),
            finish_reason=found.get("finish_reason"),
            tokens_in=found.get("tokens_in"),
            tokens_out=found.get("tokens_out"),
            cost_usd=0.0,
            omitted_parameters=tuple(found.get("omitted_parameters", ())),
            tokens_cached=found.get("tokens_cached"),
            answer_format=answer_format if answer_format in ANSWER_FORMATS else "text",
            label_logprobs=found.get("label_logprobs"),
            label_logprob_ceiling=found.get("label_logprob_ceiling"),
            model_version=found.get("model_version"),
        )


class _Line(NamedTuple):
    """One recorded answer, as an answer line has it."""

    judge: str | None
    item: str
    fields: Mapping[str, Any]


class Recordings:
    """The recorded answers of one judge in a file, looked up by request.

    The answers lie in a temporary file, and only their places in memory: 200,000 answers take some
    50 MB, and files that cannot be read from the middle (CSV, Parquet) are as quick as others.

    Args:
        judge: The judge; None where the file has only one.

    Attributes:
        left_out: Damaged lines, and rows without an answer.

    Raises:
        BadSettings: The file cannot be read, does not have the judge, or several and none is named.
    """

    def __init__(self, path: Path, judge: str | None) -> None:
        self._spool = tempfile.TemporaryFile(prefix="rostrum-replay-")  # noqa: SIM115
        self._index: dict[bytes, tuple[int, int]] = {}
        # The sets of fields that recordings have of what was asked, the largest first.
        self._asked: list[tuple[str, ...]] = []
        self.left_out = 0
        try:
            self._read(path, judge)
        except BaseException:
            self._spool.close()
            raise

    def _read(self, path: Path, judge: str | None) -> None:
        judges: set[str] = set()
        known = sorted({name for kind in KIND.values() for name in kind.asked_fields})
        asked: set[tuple[str, ...]] = set()
        place = 0
        for line in _lines(path):
            if line is None:
                self.left_out += 1
                continue
            if line.judge is not None:
                judges.add(line.judge)
            if judge is not None and line.judge != judge:
                continue
            if len(judges) > 1 and judge is None:
                raise BadSettings(
                    f"replay: {path} holds answers of several judges, such as "
                    f"{', '.join(sorted(judges))}; name one with the setting judge"
                )
            names = tuple(name for name in known if line.fields.get(name) is not None)
            asked.add(names)
            template, sample = line.fields.get("template"), line.fields.get("sample", 0)
            kept = {
                name: line.fields[name]
                for name in (*_TEXTS, *_WHOLE, *_FROM_JOURNALS)
                if line.fields.get(name) is not None
                and (name not in _TEXTS or isinstance(line.fields[name], str))
            }
            data = json.dumps(kept).encode()
            self._index[_key(line.item, line.fields, names, template, sample)] = place, len(data)
            self._spool.write(data)
            place += len(data)
        self._spool.flush()
        self._asked = sorted(asked, key=len, reverse=True)
        if judge is not None and judge not in judges:
            raise BadSettings(
                f"replay: {path} holds no answers of judge '{judge}'; it holds those of "
                f"{', '.join(sorted(judges)) or 'nobody'}"
            )

    def __len__(self) -> int:
        return len(self._index)

    def find(
        self, item: str, fields: Mapping[str, Any], template: str, sample: int
    ) -> dict[str, Any] | None:
        """Return the recording of a request; None where there is none.

        A recording without a template, or without fields of what was asked, stands for any.

        Args:
            fields: The fields of an answer line with what is asked.
        """
        for recorded_template, names in product((template, None), self._asked):
            place = self._index.get(_key(item, fields, names, recorded_template, sample))
            if place is not None:
                data = os.pread(self._spool.fileno(), place[1], place[0])
                found: dict[str, Any] = json.loads(data)
                return found
        return None

    def close(self) -> None:
        """Let go of the temporary file."""
        self._spool.close()


def _key(
    item: str, fields: Mapping[str, Any], names: tuple[str, ...], template: Any, sample: int
) -> bytes:
    # A third of the memory that the texts themselves would take.
    asked = {name: fields.get(name) for name in names}
    parts = json.dumps([item, asked, template, sample]).encode()
    return hashlib.blake2b(parts, digest_size=16).digest()


def _lines(path: Path) -> Iterator[_Line | None]:
    """Yield the recorded answers of a file, and None for each damaged or empty row."""
    suffix = path.suffix.lower()
    try:
        if suffix == ".csv":
            yield from (_score_line(fields, "") for fields in _csv_rows(path))
        elif suffix == ".parquet":
            with pq.ParquetFile(path) as parquet:
                for batch in parquet.iter_batches(batch_size=1000):
                    yield from (_score_line(fields, None) for fields in batch.to_pylist())
        elif suffix not in _JSON_SUFFIXES:
            raise BadSettings(
                f"replay: {path}: a file ending in '{path.suffix}' is not known; expected .jsonl, "
                ".csv or .parquet"
            )
        elif _is_journal(path):
            yield from _journal_lines(path)
        else:
            yield from (_score_line(fields, None) for fields in _json_rows(path))
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        raise BadSettings(f"replay: {path} cannot be read: {error}") from error


def _is_journal(path: Path) -> bool:
    with path.open("rb") as file:
        try:
            first = json.loads(file.readline())
        except ValueError:
            return path.name == FILE_NAME
    return isinstance(first, dict) and {"kind", "schema_version"} <= first.keys()


def _journal_lines(path: Path) -> Iterator[_Line | None]:
    judge = None
    for line in read_journal(path):
        if line["kind"] == "corrupt":
            yield None
        elif line["kind"] == "run":
            judge = line.get("judge_id")
        elif line["kind"] == "answer" and (
            # A lasting failure is an outcome like an answer; another one was never answered.
            line.get("status") == "answered" or line.get("error_kind") in FINAL_KINDS
        ):
            yield _line(judge, line.get("item_id"), line)


def _score_line(fields: Any, absent: str | None) -> _Line | None:
    """Return a score file's row; its response is made of its value where it has no other."""
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
        # A score between two points stays what it is, and cannot be read.
        fields["response"] = (
            answer_text(int(value)) if value.is_integer() else f"<score>\n{value}\n</score>"
        )
    if any(name in fields for name in DRAWN):
        fields.setdefault("outcome", "winner")
    for name in ("error_kind", "error", *_FROM_JOURNALS):
        fields.pop(name, None)
    return _line(fields.get("judge"), fields.get("item"), fields)


def _line(judge: Any, item: Any, fields: Mapping[str, Any]) -> _Line | None:
    texts = (judge, fields.get("dimension"), fields.get("template"))
    answer = fields.get("response", fields.get("winner"))
    if fields.get("error_kind") is None and not isinstance(answer, str):
        return None
    if not all(isinstance(text, str | None) for text in texts) or not isinstance(item, str):
        return None
    return _Line(judge, item, fields) if isinstance(fields.get("sample", 0), int) else None


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
            # Cells beyond the header's, or too few of them, cannot be told from each other.
            is_whole = None not in fields and None not in fields.values()
            yield fields if is_whole else {}
