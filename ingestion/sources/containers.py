"""The bytes of a source file, in a folder, a zip archive or a gzip file, and their limits."""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, AnyStr

from ingestion.errors import SourceUnreadable

Opener = Callable[[], AbstractContextManager[IO[bytes]]]
MAX_SOURCE_VARIABLE = "ROSTRUM_MAX_SOURCE_BYTES"
# The largest published source, debate.org's, has 1.2 GB unpacked.
MAX_SOURCE_BYTES = 4 * 2**30
# A record is read into memory whole: a line, a document, a row of Parquet. The longest published
# debate has 1.5 MB.
MAX_RECORD_BYTES = 64 * 2**20
_JUNK = "__MACOSX"
_DAMAGED = (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError)
_ENCRYPTED = 0x1


def max_source_bytes() -> int:
    """Return the most bytes a file may have: `ROSTRUM_MAX_SOURCE_BYTES`, or `MAX_SOURCE_BYTES`.

    Raises:
        SourceUnreadable: The variable holds no whole number above 0.
    """
    said = os.environ.get(MAX_SOURCE_VARIABLE, "").strip()
    if not said:
        return MAX_SOURCE_BYTES
    if not (said.isascii() and said.isdecimal() and len(said) < 20 and int(said)):
        raise SourceUnreadable(
            f"ingestion: {MAX_SOURCE_VARIABLE} should be a whole number of bytes above 0; found "
            f"{said[:40]!r}: unset it, or set it to {MAX_SOURCE_BYTES} for example"
        )
    return int(said)


def refuse_larger(size: int, shown: str, limit: int | None = None) -> None:
    """Refuse a file with more bytes than it may have.

    Args:
        size: Its bytes, or those read so far.
        limit: The most it may have; `max_source_bytes` where not given.

    Raises:
        SourceUnreadable: It has more.
    """
    limit = max_source_bytes() if limit is None else limit
    if size > limit:
        raise SourceUnreadable(
            f"ingestion: {shown} has {size:,} bytes or more, unpacked where it is packed, and at "
            f"most {limit:,} are read; name a smaller file, or set {MAX_SOURCE_VARIABLE} to more "
            "if it is what it should be"
        )


def refuse_long(size: int, shown: str) -> None:
    """Refuse a record with more bytes than `MAX_RECORD_BYTES`.

    Args:
        size: Its bytes, or those read so far.
        shown: The record as a message names it, with its file.

    Raises:
        SourceUnreadable: It has more.
    """
    if size > MAX_RECORD_BYTES:
        raise SourceUnreadable(
            f"ingestion: {shown} has more than {MAX_RECORD_BYTES // 2**20} MiB, the most that one "
            "record may have; check that it is the file it should be, with one record a line"
        )


def lines_of(stream: IO[AnyStr], shown: str) -> Iterator[AnyStr]:
    """Yield the lines of a stream.

    Raises:
        SourceUnreadable: A line has more than `MAX_RECORD_BYTES`.
    """
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        refuse_long(len(line), f"{shown}, line {number}")
        yield line


def read_whole(stream: IO[bytes], shown: str) -> bytes:
    """Return the content of a file that is one record, such as a JSON document.

    Raises:
        SourceUnreadable: It has more than `MAX_RECORD_BYTES`.
    """
    content = stream.read(MAX_RECORD_BYTES + 1)
    refuse_long(len(content), shown)
    return content


def member_names(path: Path, shown: str) -> list[str]:
    """Return the paths of an archive's files; for any other file its own name.

    Raises:
        SourceUnreadable: The archive is damaged.
    """
    if not zipfile.is_zipfile(path):
        return [path.name.removesuffix(".gz")]
    try:
        with zipfile.ZipFile(path) as archive:
            return [
                name
                for name in archive.namelist()
                if not name.endswith("/") and _JUNK not in PurePosixPath(name).parts
            ]
    except (zipfile.BadZipFile, OSError) as error:
        raise SourceUnreadable(
            f"ingestion: {shown} is a damaged zip archive ({error}); fetch it again"
        ) from error


def find_member(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Return the first archive member of one of the wanted file names, the shallowest one."""
    for name in wanted:
        fitting = [each for each in names if PurePosixPath(each).name == name]
        if fitting:
            return min(fitting, key=lambda each: (each.count("/"), each))
    return None


def opener_of(path: Path, member: str | None, shown: str) -> Opener:
    """Return what opens a file's bytes: an archive's member, or the file, unpacked if gzip.

    Args:
        path: The file or archive.
        member: Which member of an archive.
    """

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        limit = max_source_bytes()

        def refuse(size: int) -> None:
            refuse_larger(size, shown, limit)

        try:
            if member is not None and zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive, _member(archive, member, shown) as stream:
                    yield bounded(stream, refuse)
            elif _is_gzip(path):
                with gzip.GzipFile(path) as packed:
                    yield bounded(packed, refuse)
            else:
                with path.open("rb") as stream:
                    yield stream
        except _DAMAGED as error:
            message = f"ingestion: {shown} is a damaged archive ({error}); fetch it again"
            raise SourceUnreadable(message) from error

    return opened


def bounded(packed: IO[bytes] | gzip.GzipFile, refuse: Callable[[int], None]) -> IO[bytes]:
    """Return a stream of what is unpacked that ends in an error where it is too large.

    Args:
        packed: Unpacks while it is read.
        refuse: Is told the bytes read so far, and raises where they are too many.
    """
    return io.BufferedReader(_Bounded(packed, refuse))


def _member(archive: zipfile.ZipFile, name: str, shown: str) -> IO[bytes]:
    has_password = archive.getinfo(name).flag_bits & _ENCRYPTED
    try:
        if not has_password:
            return archive.open(name)
    except NotImplementedError:
        pass
    raise SourceUnreadable(
        f"ingestion: {shown}, {name} is {'encrypted' if has_password else 'packed'} in a way that "
        "cannot be read; unpack it yourself and name the file"
    )


class _Bounded(io.RawIOBase):
    """What is unpacked, read as long as it is no larger than a source may be."""

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


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"
