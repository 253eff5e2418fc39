"""The members of an Inspect `.eval` log, a zip of JSON files. Nothing is unpacked to the disk."""

from __future__ import annotations

import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingestion.errors import SourceUnreadable

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
    with _opened(path, shown) as archive:
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
    with _opened(path, shown) as archive:
        name = "header.json" if "header.json" in archive.namelist() else "_journal/start.json"
        try:
            header = json.loads(_content(archive, path, archive.getinfo(name), shown))
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
    with _opened(path, shown) as archive:
        # A sample that was tried again is there twice; the later one counts.
        samples = {
            member.filename: member
            for member in archive.infolist()
            if member.filename.startswith("samples/") and member.filename.endswith(".json")
        }
        for name, member in samples.items():
            yield name, _content(archive, path, member, shown)


def _opened(path: Path, shown: str) -> zipfile.ZipFile:
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
    except (
        zipfile.BadZipFile,
        zlib.error,
        pa.ArrowException,
        OSError,
        EOFError,
        struct.error,
    ) as error:
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
