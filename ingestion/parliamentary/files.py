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
WORKBOOK_SUFFIX = ".xlsx"
# So that the same documents are the same bytes, and land once.
_AT = (1980, 1, 1, 0, 0, 0)
_JUNK = "__MACOSX"
_PACKED: Mapping[bytes, Callable[[Path], IO[bytes] | gzip.GzipFile]] = {
    b"\x1f\x8b": gzip.GzipFile,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
# What a damaged or locked archive raises.
DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, RuntimeError)


@dataclass(frozen=True)
class SmallFiles:
    """The files of a location in memory, by their path inside, and the paths of those not read."""

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

    about = {"source": dataset.dataset_id, "licence": dataset.licence}
    path = Path(location).expanduser()
    if web.is_web_address(location):
        return _read_archive(web.fetch_web(home, location, **about), suffixes)
    if not path.is_dir():
        return _read_archive(land(home, path, **about), suffixes)
    found = sorted(each for each in path.rglob("*") if each.is_file() and not each.is_symlink())
    names = {each.relative_to(path).as_posix(): each for each in found}
    wanted = [name for name in names if name.casefold().endswith(suffixes)]
    files = read_bounded(((name, names[name].open("rb")) for name in wanted), location)
    with (
        explained_when_full(f"keeping the files of {location}", home.landing),
        unfinished(home, "files") as folder,
    ):
        packed = folder / f"{path.resolve().name}.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(files):
                member = zipfile.ZipInfo(name, _AT)
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, files[name])
        landed = land(home, packed, **about, origin=location, shown=location)
    return SmallFiles(landed, files, tuple(name for name in names if name not in files))


def read_bounded(
    members: Iterable[tuple[str, IO[bytes]]], shown: str, most: int | None = None
) -> dict[str, bytes]:
    """Read files whole.

    Args:
        most: The most bytes that are kept of each; larger ones are refused when not given.

    Raises:
        SourceUnreadable: They are larger, or more, than such a source can have.
    """
    files: dict[str, bytes] = {}
    left = MAX_ALL
    for name, stream in members:
        with stream:
            content = stream.read(min(most or MAX_FILE, left) + 1)
        left -= len(content)
        if len(content) > MAX_FILE or left < 0 or len(files) >= MAX_FILES:
            raise _too_large(shown)
        files[name] = content
    return files


def _read_archive(landed: Landed, suffixes: tuple[str, ...]) -> SmallFiles:
    def is_wanted(name: str) -> bool:
        return name.casefold().endswith(suffixes) and _JUNK not in PurePosixPath(name).parts

    path, shown = landed.path, landed.shown
    others: list[str] = []

    def of_tar(tar: tarfile.TarFile) -> Iterator[tuple[str, IO[bytes]]]:
        read = 0
        for count, each in enumerate(tar, start=1):
            read += each.size
            # Skipped members are unpacked as well on the way to the next one.
            if count > MAX_FILES or read > MAX_ALL:
                raise _too_large(shown)
            if not each.isfile() or not is_wanted(each.name):
                others.append(each.name)
            elif (stream := tar.extractfile(each)) is not None:
                yield each.name, stream

    def refuse_headers(size: int) -> None:
        # Headers and the padding of last blocks come on top of the members.
        if size > 2 * MAX_ALL:
            raise _too_large(shown)

    try:
        # A workbook is itself a zip.
        if zipfile.is_zipfile(path) and path.suffix.casefold() != WORKBOOK_SUFFIX:
            with zipfile.ZipFile(path) as archive:
                names = [each.filename for each in archive.infolist() if not each.is_dir()]
                wanted = [name for name in names if is_wanted(name)]
                files = read_bounded(((name, archive.open(name)) for name in wanted), shown)
                others += [name for name in names if name not in files]
        elif _is_tar(path):
            # As a stream, since a member's header alone may unpack to gigabytes.
            with (
                _unpacked(path) as packed,
                bounded(packed, refuse_headers) as stream,
                tarfile.open(fileobj=stream, mode="r|") as tar,
            ):
                files = read_bounded(of_tar(tar), shown)
        else:
            files = read_bounded([(PurePosixPath(shown).name, path.open("rb"))], shown)
    except (*DAMAGED, OSError) as error:
        raise SourceUnreadable(
            f"ingestion: {shown} is a damaged archive, or one with a password "
            f"({type(error).__name__}); fetch it again"
        ) from error
    return SmallFiles(landed, files, tuple(others))


def _too_large(shown: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"ingestion: {shown} is larger than any such source: a file may have "
        f"{MAX_FILE // 2**20} MiB, all of them {MAX_ALL // 2**20} MiB, and there may be "
        f"{MAX_FILES:,}; name the files of the data set alone"
    )


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
