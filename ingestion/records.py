"""Files into rows: CSV, JSON lines and Parquet, each row with the place a user can find it at."""

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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

# A whole book fits; the csv module's own limit does not hold a long debate.
_FIELD_CHARS = 16 * 2**20
MAX_COLUMNS = 10_000
# Rows of a Parquet file that are unpacked at once, where they are no larger than a record may be.
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
_FOREIGN_MARKS = ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16"))


class Record(NamedTuple):
    """One row of a file.

    Attributes:
        place: For example "record 12 (line 40)", counted from 1 without the header.
        fields: Its columns by name.
    """

    place: str
    fields: dict[str, Any]


def file_format(path: Path) -> Format:
    """Return the format to read a file as, by what its name ends in.

    Raises:
        SourceUnreadable: It is none that is known.
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
    """Yield every row of a file, or a reject where a row cannot be told apart.

    Args:
        path: The file to read.
        required: Columns that must be there. JSON lines have no header: there each row is
            left to its reader.

    Raises:
        SourceUnreadable: The file is missing, empty, truncated, wrongly encoded, or lacks columns.
    """
    readers = {"csv": _csv_rows, "jsonl": _json_rows, "parquet": _parquet_rows}
    found = False
    try:
        if path.stat().st_size == 0:
            raise SourceUnreadable(f"ingestion: {shown} is empty; expected {kind} with records")
        for row in readers[kind](path, shown, required):
            found = True
            yield row
    except OSError as error:
        message = f"ingestion: cannot read {shown}: {error.strerror or error}; check the path"
        raise SourceUnreadable(message) from error
    if not found:
        raise SourceUnreadable(f"ingestion: {shown} holds no records; expected at least one")


def columns_of(path: Path, kind: Format, *, shown: str) -> list[str]:
    """Return the names of a file's columns; for JSON lines those of the first row.

    Raises:
        SourceUnreadable: As `read_rows`.
    """
    for row in read_rows(path, kind, shown=shown):
        return list(row.fields) if isinstance(row, Record) else []
    return []


class _Lines:
    """The lines of a file, remembering those that belong to the record being read."""

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
        """Forget the lines of the record before."""
        self.pending.clear()
        self._size = 0


def _csv_rows(path: Path, shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    require_utf8(path, shown)
    # newline="": line ends inside quoted fields belong to the text.
    with path.open("r", encoding="utf-8-sig", newline="") as handle:
        yield from _csv_records(handle, shown, required)


def read_csv_records(
    opener: Opener, *, shown: str, required: Sequence[str] = ()
) -> Iterator[Record | Reject]:
    """Yield every row of a CSV file that may lie in an archive.

    Args:
        opener: What opens its bytes.
        required: Columns that must be there.

    Raises:
        SourceUnreadable: The file has no header, lacks columns, or is not UTF-8.
    """
    with opener() as stream:
        handle = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            yield from _csv_records(handle, shown, required)
        except UnicodeDecodeError as error:
            raise SourceUnreadable(
                f"ingestion: {shown} is not UTF-8 text: a byte 0x{error.object[error.start]:02x} "
                "cannot be decoded; save it as UTF-8"
            ) from error
        finally:
            # The stream is its opener's to close.
            handle.detach()


def _csv_records(handle: IO[str], shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    csv.field_size_limit(_FIELD_CHARS)
    lines = _Lines(handle, shown)
    reader = csv.reader(lines, strict=True)
    header = _csv_header(reader, shown, required)
    number, first_line = 0, reader.line_num + 1
    while True:
        lines.begin()
        place = f"record {number + 1} (line {first_line})"
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            swallowed = max(1, sum(1 for line in lines.pending if line.strip()))
            text = "".join(lines.pending)[:ORIGINAL_CHARS]
            reason = f"is not valid CSV: {error}; check its quotes"
            yield Reject(shown, place, None, reason, storable(text), swallowed)
        else:
            if not values:
                first_line = reader.line_num + 1
                continue
            if len(values) == len(header):
                yield Record(place, dict(zip(header, values, strict=True)))
            else:
                reason = f"has {len(values)} fields where the header has {len(header)}"
                text = "".join(lines.pending)[:ORIGINAL_CHARS]
                yield Reject(shown, place, None, reason, text)
        number += 1
        first_line = reader.line_num + 1


def _csv_header(reader: Any, shown: str, required: Sequence[str]) -> list[str]:
    try:
        header = [name.strip() for name in next(reader)]
    except (StopIteration, csv.Error) as error:
        message = f"ingestion: {shown}, line 1: no header can be read ({error}); expected one"
        raise SourceUnreadable(message) from error
    _check_columns(header, shown, required)
    return header


def _check_columns(found: list[str], shown: str, required: Sequence[str]) -> None:
    if len(found) > MAX_COLUMNS:
        raise SourceUnreadable(
            f"ingestion: {shown} has {len(found):,} columns, and at most {MAX_COLUMNS:,} are read; "
            "check that it is the file it should be, or leave out columns"
        )
    if twice := sorted(name for name, count in Counter(found).items() if count > 1):
        message = f"ingestion: {shown} has the column '{twice[0]}' twice; rename one of them"
        raise SourceUnreadable(message)
    if missing := [name for name in required if name not in found]:
        message = (
            f"ingestion: {shown} lacks the column{'s' * (len(missing) > 1)} "
            f"{', '.join(repr(name) for name in missing)}; it has "
            f"{', '.join(repr(name) for name in found) or 'none'}"
        )
        raise SourceUnreadable(message)


def _json_rows(path: Path, shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    del required
    require_utf8(path, shown)
    with path.open("rb") as stream:
        yield from _json_lines(_decoded(stream, shown), shown)


def read_json_lines(opener: Opener, *, shown: str) -> Iterator[Record | Reject]:
    """Yield every object of a file of JSON lines that may lie in an archive.

    Raises:
        SourceUnreadable: The file holds no records or is not UTF-8.
    """
    found = False
    with opener() as stream:
        for row in _json_lines(_decoded(stream, shown), shown):
            found = True
            yield row
    if not found:
        raise SourceUnreadable(f"ingestion: {shown} holds no records; expected at least one")


def _decoded(stream: IO[bytes], shown: str) -> Iterator[str]:
    for number, line in enumerate(lines_of(stream, shown), start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise SourceUnreadable(
                f"ingestion: {shown}, line {number} is not UTF-8 text: its byte {error.start} "
                f"(0x{error.object[error.start]:02x}) cannot be decoded; save it as UTF-8"
            ) from error


def _json_lines(lines: Iterable[str], shown: str) -> Iterator[Record | Reject]:
    number = 0
    for line_number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        number += 1
        place = f"record {number} (line {line_number})"
        try:
            value = strict_json(line)
        except (ValueError, RecursionError) as error:
            reason = f"is not valid JSON: {error}; expected one object on the line"
            yield Reject(shown, place, None, reason, line[:ORIGINAL_CHARS])
            continue
        if isinstance(value, dict):
            yield Record(place, value)
        else:
            reason = f"is a JSON {type(value).__name__}; expected one object on the line"
            yield Reject(shown, place, None, reason, line[:ORIGINAL_CHARS])


def _parquet_rows(path: Path, shown: str, required: Sequence[str]) -> Iterator[Record | Reject]:
    number = 0
    try:
        for batch in _parquet_batches(path, shown, required):
            for fields in batch.to_pylist():
                number += 1
                yield Record(f"record {number}", fields)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        message = (
            f"ingestion: {shown} cannot be read as Parquet after record {number}: {error}; "
            "it may be truncated: fetch it again"
        )
        raise SourceUnreadable(message) from error


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
                if (size := sum(map(_size, part.columns))) <= MAX_RECORD_BYTES:
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
    """Return the columns to read as references to their dictionary, and how many rows at once."""
    schema, metadata = parquet.schema, parquet.metadata
    references = {
        schema.column(place).path
        for place in range(len(schema))
        if schema.column(place).physical_type == "BYTE_ARRAY"
    }
    largest_row = 1
    for group in range(metadata.num_row_groups):
        size = row = 0
        chunks = metadata.row_group(group)
        for place in range(metadata.num_columns):
            chunk, column = chunks.column(place), schema.column(place)
            size += chunk.total_uncompressed_size + 8 * chunk.num_values
            # Arrow reads values that share what they begin with in full only.
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


def _size(column: pa.Array) -> int:
    """Return the bytes that a column takes once each value is unpacked."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = pc.binary_length(column.dictionary).take(column.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if pa.types.is_struct(kind):
        return sum(map(_size, column.flatten()))
    if pa.types.is_map(kind):
        start, end = column.offsets[0].as_py(), column.offsets[-1].as_py()
        return sum(_size(part.slice(start, end - start)) for part in (column.keys, column.items))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _size(column.flatten())
    return int(column.nbytes)


def require_utf8(path: Path, shown: str) -> None:
    """Refuse a file that is not UTF-8 from beginning to end, naming the byte."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    done = 0
    with path.open("rb") as handle:
        while True:
            chunk = handle.read(_CHUNK)
            waiting = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                offset = done - waiting + error.start
                handle.seek(0)
                start = handle.read(2)
                looks = next((name for mark, name in _FOREIGN_MARKS if start == mark), None)
                message = (
                    f"ingestion: {shown} is not UTF-8 text: byte {offset} "
                    f"(0x{error.object[error.start]:02x}) "
                    + (f"(it looks like {looks}) " if looks else "")
                    + "cannot be decoded; save it as UTF-8"
                )
                raise SourceUnreadable(message) from error
            if not chunk:
                return
            done += len(chunk)
