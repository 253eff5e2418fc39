"""The small files of a source of parliamentary debates: of a folder, an archive, or one file.

A folder is landed as one zip of the files that are read, so that a tab of a thousand documents is
one entry of the landing. Nothing is unpacked to disk, and nothing larger than its limit is read.
"""

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from ingestion.errors import SourceUnreadable, explained_when_full
from ingestion.landing import Landed, land, unfinished
from ingestion.sources.containers import bounded
from warehouse.home import Home
from warehouse.records.core import Dataset

# A tab of WUDC's size has some 2,000 documents, the largest of them 2 MB.
MAX_FILE = 64 * 2**20
MAX_ALL = 512 * 2**20
MAX_FILES = 50_000
# So that the same documents are the same bytes, and land once.
_AT = (1980, 1, 1, 0, 0, 0)
_JUNK = "__MACOSX"
_PACKED: Mapping[bytes, Callable[[Path], IO[bytes] | gzip.GzipFile]] = {
    b"\x1f\x8b": gzip.GzipFile,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}


@dataclass(frozen=True)
class SmallFiles:
    """The files of a location, all in memory.

    Attributes:
        files: Their bytes, by their path inside.
        others: Paths that were not read, for messages.
    """

    landed: Landed
    files: Mapping[str, bytes]
    others: tuple[str, ...] = ()

    @property
    def names(self) -> str:
        """The first few names of all, for messages."""
        return ", ".join([*self.files, *self.others][:8]) or "nothing"


def read_small_files(
    home: Home, location: str, dataset: Dataset, suffixes: tuple[str, ...]
) -> SmallFiles:
    """Land what a location holds and read the files with these endings.

    A location is a folder, a zip or tar archive, a file, or an address on the web.

    Raises:
        SourceUnreadable: It is not there, is damaged, or is larger than such a source can be.
    """
    # Reached by few: everybody else saves the import of an HTTP client.
    from ingestion.sources import web

    if web.is_web_address(location):
        landed = web.fetch_web(home, location, source=dataset.dataset_id, licence=dataset.licence)
        return _of_file(landed, suffixes)
    path = Path(location).expanduser()
    if not path.is_dir():
        landed = land(home, path, source=dataset.dataset_id, licence=dataset.licence)
        return _of_file(landed, suffixes)
    found = sorted(each for each in path.rglob("*") if each.is_file() and not each.is_symlink())
    names = {each.relative_to(path).as_posix(): each for each in found}
    wanted = [name for name in names if name.casefold().endswith(suffixes)]
    others = tuple(name for name in names if name not in wanted)
    files = _bounded(((name, names[name].open("rb")) for name in wanted), location)
    landed = land_together(home, files, dataset, name=path.resolve().name, origin=location)
    return SmallFiles(landed, files, others)


def land_together(
    home: Home, files: Mapping[str, bytes], dataset: Dataset, *, name: str, origin: str
) -> Landed:
    """Land files as one zip; the same files are the same zip.

    Raises:
        NoSpace: The disk is full.
    """
    with (
        explained_when_full(f"keeping the files of {origin}", home.landing),
        unfinished(home, "files") as folder,
    ):
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member in sorted(files):
                about = zipfile.ZipInfo(member, _AT)
                about.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(about, files[member])
        return land(
            home,
            path,
            source=dataset.dataset_id,
            licence=dataset.licence,
            origin=origin,
            shown=origin,
        )


def _of_file(landed: Landed, suffixes: tuple[str, ...]) -> SmallFiles:
    try:
        if zipfile.is_zipfile(landed.path):
            with zipfile.ZipFile(landed.path) as archive:
                members = [each for each in archive.infolist() if not each.is_dir()]
                names = [each.filename for each in members if _is_wanted(each.filename, suffixes)]
                files = _bounded(((name, archive.open(name)) for name in names), landed.shown)
                others = tuple(each.filename for each in members if each.filename not in files)
        elif _is_tar(landed.path):
            # As a stream, since a member's header alone may unpack to gigabytes.
            with (
                _unpacked(landed.path) as packed,
                bounded(packed, lambda size: _refuse_headers(size, landed.shown)) as stream,
                tarfile.open(fileobj=stream, mode="r|") as tar,
            ):
                files, others = _of_tar(tar, suffixes, landed.shown)
        else:
            files, others = (
                _bounded(
                    [(PurePosixPath(landed.shown).name, landed.path.open("rb"))], landed.shown
                ),
                (),
            )
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise SourceUnreadable(
            f"ingestion: {landed.shown} is a damaged archive, or one with a password "
            f"({type(error).__name__}); fetch it again"
        ) from error
    return SmallFiles(landed, files, others)


def _of_tar(
    tar: tarfile.TarFile, suffixes: tuple[str, ...], shown: str
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    others: list[str] = []

    def members() -> Iterator[tuple[str, IO[bytes]]]:
        read = 0
        for count, each in enumerate(tar, start=1):
            read += each.size
            # Skipped members are unpacked as well on the way to the next one.
            if count > MAX_FILES or read > MAX_ALL:
                raise _too_large(shown)
            if not each.isfile() or not _is_wanted(each.name, suffixes):
                others.append(each.name)
            elif (stream := tar.extractfile(each)) is not None:
                yield each.name, stream

    return _bounded(members(), shown), tuple(others)


def _bounded(members: Iterable[tuple[str, IO[bytes]]], shown: str) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MAX_ALL
    for name, stream in members:
        with stream:
            content = stream.read(min(MAX_FILE, left) + 1)
        left -= len(content)
        if len(content) > MAX_FILE or left < 0 or len(files) >= MAX_FILES:
            raise _too_large(shown)
        files[name] = content
    return files


def _refuse_headers(size: int, shown: str) -> None:
    # Beside what the members may have, headers and what fills their last blocks.
    if size > 2 * MAX_ALL:
        raise _too_large(shown)


def _too_large(shown: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: {shown} is larger than any such source: a file may have "
        f"{MAX_FILE // 2**20} MiB, all of them {MAX_ALL // 2**20} MiB, and there may be "
        f"{MAX_FILES:,}; name the files of the data set alone"
    )


def _is_wanted(name: str, suffixes: tuple[str, ...]) -> bool:
    return name.casefold().endswith(suffixes) and _JUNK not in PurePosixPath(name).parts


def _is_tar(path: Path) -> bool:
    try:
        with _unpacked(path) as stream:
            return stream.read(512)[257:262] == b"ustar"
    except (zlib.error, lzma.LZMAError, EOFError, OSError):
        return False


def _unpacked(path: Path) -> IO[bytes] | gzip.GzipFile:
    with path.open("rb") as stream:
        head = stream.read(6)
    for mark, opened in _PACKED.items():
        if head.startswith(mark):
            return opened(path)
    return path.open("rb")
