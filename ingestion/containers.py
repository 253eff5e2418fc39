"""The bytes of a source file, whether it lies in a folder, a zip archive or a gzip file."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from ingestion.errors import SourceUnreadable
from ingestion.json_stream import Opener

_JUNK = "__MACOSX"


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
        shown: The file as the user named it.
    """

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        try:
            if member is not None and zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive, archive.open(member) as stream:
                    yield stream
            elif _is_gzip(path):
                with gzip.GzipFile(path) as packed:
                    yield packed  # type: ignore[misc]
            else:
                with path.open("rb") as stream:
                    yield stream
        except (zipfile.BadZipFile, gzip.BadGzipFile, EOFError) as error:
            message = f"ingestion: {shown} is a damaged archive ({error}); fetch it again"
            raise SourceUnreadable(message) from error

    return opened


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"
