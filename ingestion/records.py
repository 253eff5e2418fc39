"""Rows of CSV, JSON lines and Parquet files, each with its place in the file."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ingestion.batch import ORIGINAL_CHARS, Reject
from ingestion.errors import SourceUnreadable
from ingestion.json_values import storable
from ingestion.sources.containers import MAX_RECORD_BYTES, Opener, lines_of, refuse_long
from warehouse.records.strict_json import strict_json

Format = Literal["csv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "jsonl", "parquet")

# Enough for a whole book; the csv module's own limit is less than a long debate.
_FIELD_CHARS = 16 * 2**20
MAX_COLUMNS = 10_000
# Rows of a Parquet file to unpack at once, if they are no larger than a record may be.
_BATCH_ROWS = 1_024
# Arrow reads the pages of a row group that it needs; a hostile one is a single page.
_GROUP_BYTES = 2**30
_CHUNK = 2**20
_SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}


class Record(NamedTuple):
    """One row of a file, and its place such as "record 12 (line 40)", from 1 without the header."""

    place: str
    fields: dict[str, Any]


def file_format(path: Path) -> Format:
    """Return a file's format by its suffix.

    Raises:
        SourceUnreadable: The suffix is unknown.
    """
    if (found := _SUFFIXES.get(path.suffix.lower())) is None:
        raise SourceUnreadable(
            f"ingestion: {path}: unknown format '{path.suffix}'; expected one of "
            f"{', '.join(FORMATS)}: name it with --format, or give the file such an ending"
        )
    return found


def read_rows(
    path: Path, kind: Format, *, shown: str, required: Sequence[str] = ()
) -> Iterator[Record | Reject]:
    """Yield the rows of a file, or rejects of those that cannot be separated.

    Args:
        required: Columns of a CSV or Parquet file that must be there. JSON lines have no header.

    Raises:
        SourceUnreadable: The file is missing, empty, truncated, wrongly encoded, or lacks columns.
    """
    is_empty = True
    try:
        if path.stat().st_size == 0:
            raise SourceUnreadable(f"ingestion: {shown} is empty; expected {kind} with records")
        if kind == "parquet":
            rows = _parquet_rows(path, shown, required)
        else:
            require_utf8(path, shown)
            rows = _text_rows(path, kind, shown, required)
        for row in rows:
            is_empty = False
            yield row
    except OSError as error:
        message = f"ingestion: cannot read {shown}: {error.strerror or error}; check the path"
        raise SourceUnreadable(message) from error
    if is_empty:
        raise SourceUnreadable(f"ingestion: {shown} holds no records; expected at least one")


def columns_of(path: Path, kind: Format, *, shown: str) -> list[str]:
    """Return the names of a file's columns; for JSON lines those of the first row."""
    row = next(read_rows(path, kind, shown=shown))
    return list(row.fields) if isinstance(row, Record) else []


def _text_rows(
    path: Path, kind: Format, shown: str, required: Sequence[str]
) -> Iterator[Record | Reject]:
    with path.open("rb") as stream:
        if kind == "csv":
            yield from _csv_rows(stream, shown, required)
        else:
            yield from _json_rows(stream, shown)


def read_csv_records(
    opener: Opener, *, shown: str, required: Sequence[str] = ()
) -> Iterator[Record | Reject]:
    """Yield the rows of a CSV file that may be in an archive.

    Raises:
        SourceUnreadable: The file has no header, lacks columns, or is not UTF-8.
    """
    with opener() as stream:
        try:
            yield from _csv_rows(stream, shown, required)
        except UnicodeDecodeError as error:
            raise SourceUnreadable(
                f"ingestion: {shown} is not UTF-8 text: a byte 0x{error.object[error.start]:02x} "
                "cannot be decoded; save it as UTF-8"
            ) from error


def read_json_lines(opener: Opener, *, shown: str) -> Iterator[Record | Reject]:
    """Yield the objects of a file of JSON lines that may be in an archive.

    Raises:
        SourceUnreadable: The file has no records or is not UTF-8.
    """
    is_empty = True
    with opener() as stream:
        for row in _json_rows(stream, shown):
            is_empty = False
            yield row
    if is_empty:
        raise SourceUnreadable(f"ingestion: {shown} holds no records; expected at least one")


class _Lines:
    """Lines of a file; `pending` are those of the current record."""

    def __init__(self, handle: IO[str], shown: str) -> None:
        self._lines, self._shown = lines_of(handle, shown), shown
        self.pending: list[str] = []
        self._size = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.pending.append(line)
        self._size += len(line)
        refuse_long(self._size, f"{self._shown}: a record")
        return line

    def begin(self) -> None:
        self.pending.clear()
        self._size = 0


def _csv_rows(stream: IO[bytes], shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    # newline="": line ends inside quoted fields belong to the text.
    handle = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    try:
        yield from _csv_records(handle, shown, required)
    finally:
        # The caller closes the stream.
        handle.detach()


def _csv_records(handle: IO[str], shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    csv.field_size_limit(_FIELD_CHARS)
    lines = _Lines(handle, shown)
    reader = csv.reader(lines, strict=True)
    try:
        header = [name.strip() for name in next(reader)]
    except (StopIteration, csv.Error) as error:
        message = f"ingestion: {shown}, line 1: no header can be read ({error}); expected one"
        raise SourceUnreadable(message) from error
    _check_columns(header, shown, required)
    number = 1
    while True:
        lines.begin()
        place = f"record {number} (line {reader.line_num + 1})"
        values, reason, weight = list[str](), "", 1
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = f"is not valid CSV: {error}; check its quotes"
            weight = max(1, sum(1 for line in lines.pending if line.strip()))
        if not values and not reason:
            continue
        if not reason and len(values) != len(header):
            reason = f"has {len(values)} fields where the header has {len(header)}"
        if reason:
            text = storable("".join(lines.pending)[:ORIGINAL_CHARS])
            yield Reject(shown, place, None, reason, text, weight)
        else:
            yield Record(place, dict(zip(header, values, strict=True)))
        number += 1


def _check_columns(names: list[str], shown: str, required: Sequence[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise SourceUnreadable(
            f"ingestion: {shown} has {len(names):,} columns, and at most {MAX_COLUMNS:,} are read; "
            "check that it is the file it should be, or leave out columns"
        )
    if twice := sorted(name for name, count in Counter(names).items() if count > 1):
        message = f"ingestion: {shown} has the column '{twice[0]}' twice; rename one of them"
        raise SourceUnreadable(message)
    if missing := [name for name in required if name not in names]:
        raise SourceUnreadable(
            f"ingestion: {shown} lacks the column{'s' * (len(missing) > 1)} "
            f"{', '.join(map(repr, missing))}; it has {', '.join(map(repr, names)) or 'none'}"
        )


def _json_rows(stream: IO[bytes], shown: str) -> Iterator[Record | Reject]:
    number = 0
    for line_number, content in enumerate(lines_of(stream, shown), start=1):
        try:
            line = content.decode("utf-8-sig" if line_number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise SourceUnreadable(
                f"ingestion: {shown}, line {line_number} is not UTF-8 text: its byte {error.start} "
                f"(0x{error.object[error.start]:02x}) cannot be decoded; save it as UTF-8"
            ) from error
        if not line.strip():
            continue
        number += 1
        place = f"record {number} (line {line_number})"
        try:
            value = strict_json(line)
        except (ValueError, RecursionError) as error:
            reason = f"is not valid JSON: {error}"
        else:
            if isinstance(value, dict):
                yield Record(place, value)
                continue
            reason = f"is a JSON {type(value).__name__}"
        reason += "; expected one object on the line"
        yield Reject(shown, place, None, reason, line[:ORIGINAL_CHARS])


def _parquet_rows(path: Path, shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    number = 0
    try:
        for batch in _parquet_batches(path, shown, required):
            for fields in batch.to_pylist():
                number += 1
                yield Record(f"record {number}", fields)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise SourceUnreadable(
            f"ingestion: {shown} cannot be read as Parquet after record {number}: {error}; "
            "it may be truncated: fetch it again"
        ) from error


def _parquet_batches(path: Path, shown: str, required: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield a file's rows in batches of at most `MAX_RECORD_BYTES`.

    A text that a million rows share is stored once: 118 kB may be 7 GB. So texts stay references to
    the column's dictionary until the size of a batch is known.
    """
    with pq.ParquetFile(path) as parquet:
        schema = parquet.schema_arrow
        _check_columns(schema.names, shown, required)
        references, rows_at_once = _reading_plan(parquet, shown)
    with pq.ParquetFile(path, read_dictionary=references) as parquet:
        done = 0
        for batch in parquet.iter_batches(batch_size=rows_at_once):
            waiting = [batch]
            while waiting:
                part = waiting.pop()
                if (size := sum(map(_unpacked_size, part.columns))) <= MAX_RECORD_BYTES:
                    # Arrow cannot cast to every type; lists of references are only slower to make.
                    with suppress(pa.ArrowNotImplementedError):
                        part = part.cast(schema)
                    yield part
                    done += part.num_rows
                    continue
                if part.num_rows == 1:
                    refuse_long(size, f"{shown}, record {done + 1}")
                half = part.num_rows // 2
                waiting += [part.slice(half), part.slice(0, half)]


def _reading_plan(parquet: pq.ParquetFile, shown: str) -> tuple[list[str], int]:
    """Return the columns to read as references to their dictionary, and the size of batches."""
    schema, metadata = parquet.schema, parquet.metadata
    columns = [schema.column(place) for place in range(metadata.num_columns)]
    references = {each.path for each in columns if each.physical_type == "BYTE_ARRAY"}
    largest_row = 1
    for group in range(metadata.num_row_groups):
        size = row = 0
        for place, column in enumerate(columns):
            chunk = metadata.row_group(group).column(place)
            size += chunk.total_uncompressed_size + 8 * chunk.num_values
            # Values that share a prefix cannot be read as references.
            if any(encoding.startswith("DELTA") for encoding in chunk.encodings):
                references.discard(column.path)
                shares = "DELTA_LENGTH_BYTE_ARRAY" not in chunk.encodings
                row += chunk.total_uncompressed_size if shares else 0
            row += column.length if column.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0
        if size > _GROUP_BYTES:
            raise SourceUnreadable(
                f"ingestion: {shown}: row group {group + 1} has {size:,} bytes unpacked, and at "
                f"most {_GROUP_BYTES:,} are read; write the file with smaller row groups, such as "
                "row_group_size=10_000"
            )
        largest_row = max(largest_row, row)
    return sorted(references), max(1, min(_BATCH_ROWS, MAX_RECORD_BYTES // largest_row))


def _unpacked_size(column: pa.Array) -> int:
    """Return the bytes of a column with every value unpacked."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if pa.types.is_struct(kind):
        return sum(map(_unpacked_size, column.flatten()))
    if pa.types.is_map(kind):
        start, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
        parts = (part.slice(start, end - start) for part in (column.keys, column.items))
        return sum(map(_unpacked_size, parts))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _unpacked_size(column.flatten())
    return int(column.nbytes)


def require_utf8(path: Path, shown: str) -> None:
    """Refuse a file that is not UTF-8, naming the first wrong byte."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    done, start = 0, b""
    with path.open("rb") as handle:
        while True:
            chunk = handle.read(_CHUNK)
            start = start or chunk[:2]
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                is_utf16 = start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
                raise SourceUnreadable(
                    f"ingestion: {shown} is not UTF-8 text: byte {done - waiting + error.start} "
                    f"(0x{error.object[error.start]:02x}) "
                    f"{'(it looks like UTF-16) ' * is_utf16}cannot be decoded; save it as UTF-8"
                ) from error
            if not chunk:
                return
            done += len(chunk)
