"""Inspect logs: `.eval` files, and the JSON that `inspect log dump` makes of them.

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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from pydantic import BaseModel, BeforeValidator, StrictInt

from ingestion.answers.contracts import ScoreRow
from ingestion.batch import Reject, original_of
from ingestion.errors import SourceUnreadable
from ingestion.formats.base import Draft, Facts, FileRow, Options, item_named_in, typed_rows
from ingestion.landing import Landed
from ingestion.reading import BrokenRecord, validated
from ingestion.records import Record
from ingestion.sources.csv_cells import id_text
from warehouse.records.core import AnyText, Count
from warehouse.records.strict_json import strict_json

# A sample with all its events stays far below; a zip bomb does not.
MEMBER_AT_MOST = 256 * 2**20
KEYS = frozenset({"eval", "samples"})
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
_ATTACHMENT = "attachment://"
# Inspect's names of finish reasons, where they are not the usual ones.
_FINISH = {"max_tokens": "length", "model_length": "length"}
_NAMES = {
    "item": "id",
    "judge": "eval.model",
    "template": "eval.task",
    "sample": "epoch",
    "response": "output.completion",
    "at": "completed_at",
}

Object = Annotated[dict[str, Any], BeforeValidator(lambda value: value or {})]


class _Token(BaseModel):
    token: Annotated[str, BeforeValidator(str)]
    logprob: float
    top_logprobs: "list[_Token] | None" = None


class _Logprobs(BaseModel):
    content: list[_Token]


class _Choice(BaseModel):
    stop_reason: AnyText | None = None
    logprobs: Annotated[_Logprobs | None, BeforeValidator(lambda value: value or None)] = None


class _Usage(BaseModel):
    input_tokens: Any = None
    output_tokens: Any = None
    input_tokens_cache_read: Count | None = None
    total_cost: Any = None


class _Output(BaseModel):
    completion: Any = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    time: Any = None


class _Score(BaseModel):
    value: Any = None


class _Error(BaseModel):
    message: Any = None


class _Limit(BaseModel):
    type: Any = None


class _Sample(BaseModel):
    """One sample of a log, as far as it is read."""

    id: Any
    epoch: StrictInt
    metadata: Object = {}
    output: Annotated[_Output, BeforeValidator(lambda value: value or {})] = _Output()
    error: Annotated[_Error | None, BeforeValidator(lambda value: value or None)] = None
    limit: Annotated[_Limit | None, BeforeValidator(lambda value: value or None)] = None
    scores: Annotated[dict[str, _Score], BeforeValidator(lambda value: value or {})] = {}
    attachments: Object = {}
    completed_at: Any = None
    target: Any = None
    uuid: Any = None


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


def read_inspect(landed: Landed, options: Options) -> Iterator[FileRow | Reject]:
    """Yield a row per sample of a log, a zip or JSON.

    Raises:
        SourceUnreadable: The log cannot be read.
    """
    header, samples = _opened(landed)
    about = header.get("eval")
    if not isinstance(about, dict):
        raise SourceUnreadable(f"ingestion: {landed.shown} has no 'eval'; expected an Inspect log")
    yield from typed_rows(
        landed,
        _records(landed, header, samples),
        lambda record: [_draft(validated(_Sample, record.fields), about, options)],
        names=_NAMES,
        light=_light,
    )


def _light(record: Record) -> Record:
    return Record(record.place, {name: record.fields.get(name) for name in _KEPT})


_KEPT = ("id", "epoch", "metadata")


def _records(
    landed: Landed, header: dict[str, Any], samples: Iterable[tuple[str, Any]]
) -> Iterator[Record | Reject]:
    is_empty = True
    for place, sample in samples:
        is_empty = False
        if isinstance(sample, dict):
            yield Record(place, sample)
        else:
            reason = "is not valid JSON; expected a sample of the log"
            yield Reject(
                landed.shown, place, None, reason, original_of({"text": str(sample)[:200]})
            )
    if is_empty:
        message = f"ingestion: {landed.shown} holds no samples (status {header.get('status')!r})"
        raise SourceUnreadable(f"{message}; expected at least one")


def _opened(landed: Landed) -> tuple[dict[str, Any], Iterator[tuple[str, Any]]]:
    """Return a log's header and its samples, each with its place; broken ones are texts."""
    with landed.path.open("rb") as file:
        is_zip = file.read(2) == b"PK"
    if not is_zip:
        return _document(landed)
    try:
        require_readable(landed.path, landed.shown)
    except UnsupportedZip as error:
        if importlib.util.find_spec("inspect_ai") is None:
            raise SourceUnreadable(
                f"{error}; install inspect_ai to read this log (pip install inspect_ai), or import "
                f"its JSON form: inspect log dump {landed.path.name} > log.json"
            ) from error
        return _through_inspect(landed)
    return _header(landed), _members(landed)


def _document(landed: Landed) -> tuple[dict[str, Any], Iterator[tuple[str, Any]]]:
    if landed.size > MEMBER_AT_MOST:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} has {landed.size:,} bytes, more than the "
            f"{MEMBER_AT_MOST // 2**20} MiB that one JSON document may; import the .eval log itself"
        )
    try:
        log = strict_json(landed.path.read_text(encoding="utf-8-sig"))
        samples = list(log.get("samples") or [])
    except (ValueError, RecursionError, AttributeError, TypeError) as error:
        message = f"ingestion: {landed.shown} is not an Inspect log in JSON: {error}"
        raise SourceUnreadable(f"{message}; write it again with 'inspect log dump'") from error
    return log, ((f"samples[{place}]", sample) for place, sample in enumerate(samples))


def _through_inspect(landed: Landed) -> tuple[dict[str, Any], Iterator[tuple[str, Any]]]:
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


def require_readable(path: Path, shown: str) -> None:
    """Look through a whole log before anything is taken from it: halfway through is too late.

    Raises:
        SourceUnreadable: The zip is damaged.
        UnsupportedZip: A member is packed in a way that is not read here.
    """
    with _archive(path, shown) as archive:
        for member in archive.infolist():
            if member.flag_bits & _ENCRYPTED:
                raise UnsupportedZip(f"ingestion: {shown}, member {member.filename!r} is encrypted")
            if member.compress_type not in _READABLE:
                packed = f"packed by method {member.compress_type}, which is not read here"
                raise UnsupportedZip(f"ingestion: {shown}, member {member.filename!r} is {packed}")


def _archive(path: Path, shown: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError) as error:
        message = f"ingestion: {shown} is a damaged zip ({error}); fetch it again"
        raise SourceUnreadable(message) from error


def _header(landed: Landed) -> dict[str, Any]:
    """Return a log's header; of an eval that never ended, its beginning."""
    with _archive(landed.path, landed.shown) as archive:
        name = "header.json" if "header.json" in archive.namelist() else "_journal/start.json"
        try:
            header = strict_json(_content(archive, archive.getinfo(name), landed))
        except (ValueError, RecursionError) as error:
            raise SourceUnreadable(
                f"ingestion: {landed.shown}, member {name} is not valid JSON: {error}; "
                "fetch it again"
            ) from error
    if not isinstance(header, dict):
        raise SourceUnreadable(f"ingestion: {landed.shown}, member {name} is no JSON object")
    return header


def _members(landed: Landed) -> Iterator[tuple[str, Any]]:
    """Yield each sample's member name and its content, in the order of the zip."""
    with _archive(landed.path, landed.shown) as archive:
        # A sample that was tried again is there twice; the later one counts.
        members = {
            member.filename: member
            for member in archive.infolist()
            if member.filename.startswith("samples/") and member.filename.endswith(".json")
        }
        for name, member in members.items():
            content = _content(archive, member, landed)
            try:
                yield name, strict_json(content)
            except (ValueError, RecursionError):
                yield name, content[:200].decode("utf-8", "replace")


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, landed: Landed) -> bytes:
    place = f"{landed.shown}, member {member.filename!r}"
    try:
        if member.compress_type == _ZSTD:
            content = _zstd(landed.path, member)
        else:
            with archive.open(member) as packed:
                content = packed.read(MEMBER_AT_MOST + 1)
    except _DAMAGED as error:
        message = f"ingestion: {place} is damaged ({error}); fetch the log again"
        raise SourceUnreadable(message) from error
    if len(content) > MEMBER_AT_MOST:
        raise SourceUnreadable(
            f"ingestion: {place} unpacks to more than {MEMBER_AT_MOST // 2**20} MiB, the most a "
            "member may; it is no sample log, or one to be cut down first with 'inspect log'"
        )
    return content


def _zstd(path: Path, member: zipfile.ZipInfo) -> bytes:
    """Unpack a member that Python's zip reader cannot unpack before version 3.14."""
    with path.open("rb") as file:
        file.seek(member.header_offset)
        header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        file.seek(header[-2] + header[-1], 1)
        packed = file.read(member.compress_size)
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        return bytes(stream.read(MEMBER_AT_MOST + 1))


def _draft(sample: _Sample, about: dict[str, Any], options: Options) -> Draft:
    output, metadata, error = sample.output, sample.metadata, sample.error
    usage, choice = output.usage or _Usage(), (output.choices or [_Choice()])[0]
    kind, item = item_named_in(metadata, ("item", "item_id"))
    values = {
        "item": id_text(sample.id) if item is None else item,
        "judge": options.judge or about.get("model"),
        "template": about.get("task"),
        "sample": sample.epoch - 1,
        "response": None if error else _completion(sample),
        "at": sample.completed_at or about.get("created"),
        "tokens_in": usage.input_tokens,
        "tokens_out": usage.output_tokens,
        "latency_s": output.time,
        "cost_usd": usage.total_cost,
        **{name: metadata.get(name) for name in kind.factors},
    }
    scores = {name: score.value for name, score in sample.scores.items()}
    if options.scorer is not None and not error:
        if options.scorer not in scores:
            names = ", ".join(scores) or "none"
            reason = f"it has no scorer {options.scorer!r}; it has: {names}"
            raise BrokenRecord(None, f"is not a sample of an Inspect log: {reason}")
        values["value" if kind is ScoreRow else "winner"] = scores[options.scorer]
    extra = {
        "scores": scores or None,
        "error": error.message if error else None,
        "limit": sample.limit.type if sample.limit else None,
        "target": sample.target,
        "uuid": sample.uuid,
        "metadata": metadata or None,
    }
    stop = choice.stop_reason
    tokens = choice.logprobs.content if choice.logprobs else []
    places = [(each, *(each.top_logprobs or ())) for each in tokens]
    facts = Facts(
        error_kind="server" if error else None,
        finish_reason=stop and _FINISH.get(stop, stop),
        tokens_cached=usage.input_tokens_cache_read,
        token_logprobs=[
            (place[0].token, {each.token: each.logprob for each in place}) for place in places
        ]
        or None,
    )
    return Draft(kind, values, extra, facts)


def _completion(sample: _Sample) -> str:
    text = sample.output.completion
    if isinstance(text, str) and text.startswith(_ATTACHMENT):
        text = sample.attachments.get(text.removeprefix(_ATTACHMENT), text)
    return text if isinstance(text, str) else ""
