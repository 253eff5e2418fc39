"""Inspect logs: `.eval` files, and what `inspect log dump` makes of them.

A sample's id names the item, or its metadata do: `debate_id` (or `debate`) for a verdict, `item`
(or `item_id`) for a score. The eval's model is the judge, its task the template, an epoch a repeat.

A log is a zip of JSON files; nothing is unpacked to the disk.
"""

import importlib
import importlib.util
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from ingestion.answers.contracts import ScoreRow, VerdictRow
from ingestion.batch import Reject
from ingestion.errors import SourceUnreadable
from ingestion.formats.base import Facts, FileRow, Options, named_in, reject, typed_row
from ingestion.landing import Landed
from ingestion.records import Record
from ingestion.sources.csv_cells import id_text
from warehouse.records.core import first_problem
from warehouse.records.strict_json import strict_json

# A sample with all its events stays far below; a zip bomb does not.
MEMBER_AT_MOST = 256 * 2**20
_ZSTD = 93
_READABLE = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, _ZSTD)
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED = 1
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    pa.ArrowException,
    OSError,
    EOFError,
    struct.error,
)
KEYS = frozenset({"eval", "samples"})
_ATTACHMENT = "attachment://"
# Inspect's words for why a model stopped, where they are not the usual ones.
_FINISH = {"max_tokens": "length", "model_length": "length"}
_NAMES = {
    "item": "id",
    "judge": "eval.model",
    "template": "eval.task",
    "sample": "epoch",
    "response": "output.completion",
    "at": "completed_at",
    "finish_reason": "output.choices[0].stop_reason",
    "tokens_cached": "output.usage.input_tokens_cache_read",
}
_Sample = tuple[str, dict[str, Any] | str]


class UnsupportedZip(SourceUnreadable):
    """A member is packed in a way that is not read here; `inspect_ai` may read it."""


def is_inspect_zip(path: Path) -> bool:
    """Say whether a zip has what every Inspect log has."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    return "header.json" in names or "_journal/start.json" in names


def require_readable(path: Path, shown: str) -> None:
    """Look through a whole log before anything is taken from it: halfway through is too late.

    Raises:
        SourceUnreadable: The zip is damaged.
        UnsupportedZip: A member is packed in a way that is not read here.
    """
    with _member(path, shown) as archive:
        for member in archive.infolist():
            if member.flag_bits & _ENCRYPTED:
                raise UnsupportedZip(f"ingestion: {shown}, member {member.filename!r} is encrypted")
            if member.compress_type not in _READABLE:
                packed = f"packed by method {member.compress_type}, which is not read here"
                raise UnsupportedZip(f"ingestion: {shown}, member {member.filename!r} is {packed}")


def read_header(path: Path, shown: str) -> dict[str, Any]:
    """Return a log's header; of an eval that never ended, what it began with.

    Raises:
        SourceUnreadable: The zip is damaged, or its header is no JSON object.
    """
    with _member(path, shown) as archive:
        name = "header.json" if "header.json" in archive.namelist() else "_journal/start.json"
        try:
            header = strict_json(_content(archive, path, archive.getinfo(name), shown))
        except (ValueError, RecursionError) as error:
            message = (
                f"ingestion: {shown}, member {name} is not valid JSON: {error}; fetch it again"
            )
            raise SourceUnreadable(message) from error
    if not isinstance(header, dict):
        raise SourceUnreadable(f"ingestion: {shown}, member {name} is no JSON object")
    return header


def sample_texts(path: Path, shown: str) -> Iterator[tuple[str, bytes]]:
    """Yield each sample's member name and its JSON, in the order of the zip.

    Raises:
        SourceUnreadable: The zip is damaged, or a member is larger than allowed.
    """
    with _member(path, shown) as archive:
        # A sample that was tried again is there twice; the later one counts.
        samples = {
            member.filename: member
            for member in archive.infolist()
            if member.filename.startswith("samples/") and member.filename.endswith(".json")
        }
        for name, member in samples.items():
            yield name, _content(archive, path, member, shown)


def _member(path: Path, shown: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError) as error:
        message = f"ingestion: {shown} is a damaged zip ({error}); fetch it again"
        raise SourceUnreadable(message) from error


def _content(archive: zipfile.ZipFile, path: Path, member: zipfile.ZipInfo, shown: str) -> bytes:
    place = f"{shown}, member {member.filename!r}"
    try:
        if member.compress_type == _ZSTD:
            content = _zstd(path, member)
        else:
            with archive.open(member) as packed:
                content = packed.read(MEMBER_AT_MOST + 1)
    except _DAMAGED as error:
        message = f"ingestion: {place} is damaged ({error}); fetch the log again"
        raise SourceUnreadable(message) from error
    if len(content) > MEMBER_AT_MOST:
        message = (
            f"ingestion: {place} unpacks to more than {MEMBER_AT_MOST // 2**20} MiB, the most a "
            "member may; it is no sample log, or one to be cut down first with 'inspect log'"
        )
        raise SourceUnreadable(message)
    return content


def _zstd(path: Path, member: zipfile.ZipInfo) -> bytes:
    """Unpack what Python's own zip reader cannot before version 3.14."""
    with path.open("rb") as file:
        file.seek(member.header_offset)
        header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        file.seek(header[-2] + header[-1], 1)
        packed = file.read(member.compress_size)
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        return bytes(stream.read(MEMBER_AT_MOST + 1))


def read_inspect(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield a row per sample.

    Args:
        landed: The log, a zip or JSON.
        options: Who answered, and which scorer holds the score.

    Raises:
        SourceUnreadable: The log cannot be read.
    """
    header, samples = _opened(landed)
    about = header.get("eval")
    if not isinstance(about, dict):
        raise SourceUnreadable(f"ingestion: {landed.shown} has no 'eval'; expected an Inspect log")
    found = False
    for place, sample in samples:
        found = True
        if isinstance(sample, str):
            record = Record(place, {"text": sample[:200]})
            yield reject(landed, record, None, "is not valid JSON; expected a sample of the log")
        else:
            yield _typed(landed, Record(place, sample), about, options)
    if not found:
        message = f"ingestion: {landed.shown} holds no samples (status {header.get('status')!r})"
        raise SourceUnreadable(f"{message}; expected at least one")


def _opened(landed: Landed) -> tuple[dict[str, Any], Iterator[_Sample]]:
    with landed.path.open("rb") as file:
        is_zip = file.read(2) == b"PK"
    if not is_zip:
        return _document(landed)
    try:
        require_readable(landed.path, landed.shown)
    except UnsupportedZip as error:
        if importlib.util.find_spec("inspect_ai") is None:
            message = (
                f"{error}; install inspect_ai to read this log (pip install inspect_ai), or import "
                f"its JSON form: inspect log dump {landed.path.name} > log.json"
            )
            raise SourceUnreadable(message) from error
        return _through_inspect(landed)
    return read_header(landed.path, landed.shown), _from_zip(landed)


def _from_zip(landed: Landed) -> Iterator[_Sample]:
    for name, content in sample_texts(landed.path, landed.shown):
        try:
            sample = strict_json(content)
        except (ValueError, RecursionError):
            yield name, content[:200].decode("utf-8", "replace")
        else:
            yield name, sample if isinstance(sample, dict) else str(sample)


def _document(landed: Landed) -> tuple[dict[str, Any], Iterator[_Sample]]:
    if landed.size > MEMBER_AT_MOST:
        message = (
            f"ingestion: {landed.shown} has {landed.size:,} bytes, more than the "
            f"{MEMBER_AT_MOST // 2**20} MiB that one JSON document may; import the .eval log itself"
        )
        raise SourceUnreadable(message)
    try:
        log = strict_json(landed.path.read_text(encoding="utf-8-sig"))
        samples = list(log.get("samples") or [])
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        message = f"ingestion: {landed.shown} is not an Inspect log in JSON: {error}"
        raise SourceUnreadable(f"{message}; write it anew with 'inspect log dump'") from error
    return log, (
        (f"samples[{place}]", sample if isinstance(sample, dict) else str(sample))
        for place, sample in enumerate(samples)
    )


def _through_inspect(landed: Landed) -> tuple[dict[str, Any], Iterator[_Sample]]:
    inspect = importlib.import_module("inspect_ai.log")
    try:
        log = inspect.read_eval_log(str(landed.path), resolve_attachments=True)
    except (ValueError, RuntimeError, NotImplementedError, OSError) as error:
        message = f"ingestion: inspect_ai cannot read {landed.shown}: {error}; fetch the log again"
        raise SourceUnreadable(message) from error
    return log.model_dump(exclude={"samples"}), (
        (
            f"samples/{sample.id}_epoch_{sample.epoch}.json",
            sample.model_dump(exclude={"events", "messages", "store"}),
        )
        for sample in log.samples or []
    )


def _typed(
    landed: Landed, record: Record, about: dict[str, Any], options: Options
) -> FileRow | Reject:
    sample = record.fields
    light = Record(record.place, {name: sample.get(name) for name in ("id", "epoch", "metadata")})
    try:
        known, kind, extra, facts = _parts(sample, about, options)
    except ValidationError as error:
        name, reason = first_problem(error)
        return reject(landed, light, _NAMES.get(name, name), reason)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        return reject(landed, light, None, f"is not a sample of an Inspect log: {error}")
    return typed_row(landed, light, kind, known, extra=extra, names=_NAMES, facts=facts)


def _parts(
    sample: dict[str, Any], about: dict[str, Any], options: Options
) -> tuple[dict[str, Any], type[ScoreRow] | type[VerdictRow], dict[str, Any], Facts]:
    metadata, output = sample.get("metadata") or {}, sample.get("output") or {}
    kind, item = named_in(metadata, ("item", "item_id"))
    usage, choice = output.get("usage") or {}, (output.get("choices") or [{}])[0]
    error = sample.get("error")
    known: dict[str, Any] = {
        "item": id_text(sample["id"]) if item is None else item,
        "judge": options.judge or about.get("model"),
        "template": about.get("task"),
        "sample": sample["epoch"] - 1,
        "response": None if error else _text(output.get("completion"), sample),
        "at": sample.get("completed_at") or (about.get("created")),
        "tokens_in": usage.get("input_tokens"),
        "tokens_out": usage.get("output_tokens"),
        "latency_s": output.get("time"),
        "cost_usd": usage.get("total_cost"),
    }
    known |= {name: metadata.get(name) for name in kind.factors}
    scores = {name: score.get("value") for name, score in (sample.get("scores") or {}).items()}
    if options.scorer is not None and not error:
        if options.scorer not in scores:
            there = ", ".join(scores) or "none"
            raise ValueError(f"it has no scorer {options.scorer!r}; it has: {there}")
        known["value" if kind is ScoreRow else "winner"] = scores[options.scorer]
    limit = (sample.get("limit") or {}).get("type")
    extra = {
        "scores": scores or None,
        "error": (error or {}).get("message"),
        "limit": limit,
        "target": sample.get("target"),
        "uuid": sample.get("uuid"),
        "metadata": metadata or None,
    }
    stop = choice.get("stop_reason")
    return (
        known,
        kind,
        extra,
        Facts(
            error_kind="server" if error else None,
            finish_reason=_FINISH.get(stop, stop),
            tokens_cached=usage.get("input_tokens_cache_read"),
            token_logprobs=_token_logprobs(choice.get("logprobs")),
        ),
    )


def _text(completion: Any, sample: dict[str, Any]) -> str:
    if isinstance(completion, str) and completion.startswith(_ATTACHMENT):
        attachments = sample.get("attachments") or {}
        completion = attachments.get(completion.removeprefix(_ATTACHMENT), completion)
    return completion if isinstance(completion, str) else ""


def _token_logprobs(logprobs: Any) -> list[tuple[str, dict[str, float]]] | None:
    if not logprobs:
        return None
    return [
        (
            str(place["token"]),
            {str(place["token"]): float(place["logprob"])}
            | {
                str(other["token"]): float(other["logprob"])
                for other in place.get("top_logprobs") or []
            },
        )
        for place in logprobs["content"]
    ]
