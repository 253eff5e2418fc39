"""The bytes of a source file, in a folder, a zip archive or a gzip file, and their limits."""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, Any, AnyStr

from ingestion.errors import SourceUnreadable

Opener = Callable[[], AbstractContextManager[IO[bytes]]]
MAX_SOURCE_VARIABLE = "ROSTRUM_MAX_SOURCE_BYTES"
# The largest published source, debate.org's, has 1.2 GB unpacked.
MAX_SOURCE_BYTES = 4 * 2**30
# A record (a line, a document, a row of Parquet) is read into memory whole. The longest published
# debate has 1.5 MB.
MAX_RECORD_BYTES = 64 * 2**20
_DAMAGED = (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError)


def max_source_bytes() -> int:
    """Return the largest size of a file: `ROSTRUM_MAX_SOURCE_BYTES`, or `MAX_SOURCE_BYTES`."""
    text = os.environ.get(MAX_SOURCE_VARIABLE, "").strip()
    if not text:
        return MAX_SOURCE_BYTES
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text)):
        raise SourceUnreadable(
            f"ingestion: {MAX_SOURCE_VARIABLE} should be a whole number of bytes above 0; found "
            f"{text[:40]!r}: unset it, or set it to {MAX_SOURCE_BYTES} for example"
        )
    return int(text)


def refuse_larger(size: int, shown: str, limit: int | None = None) -> None:
    """Refuse a file of more bytes than the limit, `max_source_bytes` by default."""
    limit = max_source_bytes() if limit is None else limit
    if size > limit:
        raise SourceUnreadable(
            f"ingestion: {shown} has {size:,} bytes or more, unpacked where it is packed, and at "
            f"most {limit:,} are read; name a smaller file, or set {MAX_SOURCE_VARIABLE} to more "
            "if it is what it should be"
        )


def refuse_long(size: int, shown: str) -> None:
    """Refuse a record of more than `MAX_RECORD_BYTES`."""
    if size > MAX_RECORD_BYTES:
        raise SourceUnreadable(
            f"ingestion: {shown} has more than {MAX_RECORD_BYTES // 2**20} MiB, the most that one "
            "record may have; check that it is the file it should be, with one record a line"
        )


def lines_of(stream: IO[AnyStr], shown: str) -> Iterator[AnyStr]:
    """Yield the lines of a stream, each of at most `MAX_RECORD_BYTES`."""
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        refuse_long(len(line), f"{shown}, line {number}")
        yield line


def read_whole(stream: IO[bytes], shown: str) -> bytes:
    """Return the content of a file that is one record, such as a JSON document."""
    content = stream.read(MAX_RECORD_BYTES + 1)
    refuse_long(len(content), shown)
    return content


def member_names(path: Path, shown: str) -> list[str]:
    """Return the paths of an archive's files; for any other file its own name."""
    if not zipfile.is_zipfile(path):
        return [path.name.removesuffix(".gz")]
    try:
        with zipfile.ZipFile(path) as archive:
            return [
                name
                for name in archive.namelist()
                if not name.endswith("/") and "__MACOSX" not in PurePosixPath(name).parts
            ]
    except (zipfile.BadZipFile, OSError) as error:
        raise SourceUnreadable(
            f"ingestion: {shown} is a damaged zip archive ({error}); fetch it again"
        ) from error


def find_member(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Return the shallowest archive member with the first of the wanted file names."""
    for name in wanted:
        fitting = [each for each in names if PurePosixPath(each).name == name]
        if fitting:
            return min(fitting, key=lambda each: (each.count("/"), each))
    return None


def opener_of(path: Path, member: str | None, shown: str) -> Opener:
    """Return a function that opens a file's bytes: unpacked, or those of an archive's member."""

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        limit = max_source_bytes()

        def refuse(size: int) -> None:
            refuse_larger(size, shown, limit)

        try:
            if member is not None and zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive, _member(archive, member, shown) as stream:
                    yield bounded(stream, refuse)
                return
            with path.open("rb") as stream:
                is_gzip = stream.read(2) == b"\x1f\x8b"
                stream.seek(0)
                yield bounded(gzip.GzipFile(fileobj=stream), refuse) if is_gzip else stream
        except _DAMAGED as error:
            message = f"ingestion: {shown} is a damaged archive ({error}); fetch it again"
            raise SourceUnreadable(message) from error

    return opened


def _member(archive: zipfile.ZipFile, name: str, shown: str) -> IO[bytes]:
    is_encrypted = archive.getinfo(name).flag_bits & 0x1
    if not is_encrypted:
        with suppress(NotImplementedError):
            return archive.open(name)
    raise SourceUnreadable(
        f"ingestion: {shown}, {name} is {'encrypted' if is_encrypted else 'packed'} in a way that "
        "cannot be read; unpack it yourself and name the file"
    )


def bounded(packed: IO[bytes] | gzip.GzipFile, refuse: Callable[[int], None]) -> IO[bytes]:
    """Return a stream of unpacked bytes that calls `refuse` with the number read so far."""
    return io.BufferedReader(_Bounded(packed, refuse))


class _Bounded(io.RawIOBase):
    def __init__(self, packed: IO[bytes] | gzip.GzipFile, refuse: Callable[[int], None]) -> None:
        self._packed, self._refuse, self._size = packed, refuse, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = self._packed.read(len(buffer))
        self._size += len(chunk)
        self._refuse(self._size)
        buffer[: len(chunk)] = chunk
        return len(chunk)
