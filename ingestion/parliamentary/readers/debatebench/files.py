"""DebateBench's files: the workbook of results, and transcripts in a folder or an archive.

The workbook is read for its values: no formula is computed and no link followed. Archives are read
where they are, so what their members are called decides nothing on disk; how much they unpack to
is bounded.
"""

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed, land
from ingestion.parliamentary.readers.tabs.rooms import MAX_BYTES
from ingestion.parliamentary.sources.debatebench import REPO
from ingestion.sources.parts import Part, Parts
from warehouse.home import Home
from warehouse.records.core import Dataset

WORKBOOK = "scores.xlsx"
FOLDER = "Cleaned Speeches"
_UNPACKED_AT_MOST = 256 << 20
_FILES_AT_MOST = 10_000
_ROWS_AT_MOST = 100_000
# A row is as wide as its last cell says, were it the only one: 9,000 such rows took 1 GB.
_COLUMNS_AT_MOST = 64


class Row(NamedTuple):
    """A row of the workbook: its number, from 1, and its cells by the header in small letters."""

    number: int
    cells: dict[str, Any]


class TranscriptFile(NamedTuple):
    """A transcript as it lies there: its title, which is its file's name, and its bytes."""

    title: str
    content: bytes


class Found(NamedTuple):
    """What a location holds.

    Attributes:
        landed: The files that were copied to the landing, the workbook's first.
        transcripts: The transcripts, by title.
    """

    shown: str
    workbook: bytes
    landed: list[Landed]
    transcripts: list[TranscriptFile]


def find_files(home: Home, location: str, dataset: Dataset, transcripts: str | None) -> Found:
    """Return the workbook and the transcripts of a location, landed.

    Raises:
        SourceUnreadable: One of them is not there, or an archive is damaged or unpacks to too much.
    """
    parts = _opened(home, location, dataset)
    path = Path(location).expanduser()
    if transcripts is None and _is_workbook(path):
        transcripts = _beside(path)
    workbook = _workbook(parts)
    landed = [workbook.landed]
    places = [(parts, location)]
    if transcripts is not None:
        places = [(Parts(home, transcripts, dataset), transcripts)]
    texts: list[TranscriptFile] = []
    for place, shown in places:
        budget = _Budget(shown)
        for name in place.names:
            if _is_text(name) or name.casefold().endswith(".zip"):
                part = place.open(name)
                landed.append(part.landed)
                texts += _texts(part, name, budget)
    if not texts:
        raise SourceUnreadable(
            f"ingestion: {transcripts or location} has no transcripts; expected one text file per "
            f"debate (.txt) in a folder '{FOLDER}' or an archive of it: name theirs with "
            "--set transcripts=FOLDER"
        )
    return Found(location, _read(workbook, MAX_BYTES * 4), list(dict.fromkeys(landed)), texts)


class _Landed(Parts):
    """Files that were landed one by one; a workbook among them, itself a zip, is no folder."""

    def __init__(self, shown: str, files: Mapping[str, Landed]) -> None:
        self.shown, self._files = shown, files

    @property
    def names(self) -> list[str]:
        return sorted(self._files)

    def open(self, name: str) -> Part:
        landed = self._files[name]
        return Part(landed, name, lambda: landed.path.open("rb"))


def _opened(home: Home, location: str, dataset: Dataset) -> Parts:
    if location.startswith("hf://"):
        # Costs everyone else a quarter of a second.
        from ingestion.sources import hub

        wanted = (".xlsx", ".txt", ".zip")
        files = hub.fetch_files(home, location, repo=REPO, suffixes=wanted, licence=dataset.licence)
        return _Landed(location, files)
    path = Path(location).expanduser()
    if not _is_workbook(path):
        return Parts(home, location, dataset)
    landed = land(home, path, source=dataset.dataset_id, licence=dataset.licence, shown=location)
    return _Landed(location, {path.name: landed})


def _is_workbook(path: Path) -> bool:
    return path.is_file() and path.suffix.casefold() == ".xlsx"


def _beside(path: Path) -> str | None:
    for name in (FOLDER, f"{FOLDER}.zip"):
        if (path.parent / name).exists():
            return str(path.parent / name)
    return None


def _workbook(parts: Parts) -> Part:
    books = [name for name in parts.names if name.casefold().endswith(".xlsx")]
    named = [name for name in books if PurePosixPath(name).name.casefold() == WORKBOOK] or books
    if len(named) != 1:
        there = ", ".join(parts.names[:8]) or "nothing"
        raise SourceUnreadable(
            f"ingestion: {parts.shown} has {len(named) or 'no'} workbooks of results, expected "
            f"one ({WORKBOOK}); it has {there}. Several things are called DebateBench: this "
            "source reads the one of British Parliamentary debates with eight speeches; debates "
            "between models are the source 'judgebench', and the Public Forum debates, the "
            "package and the command of that name are others"
        )
    return parts.open(named[0])


def _is_text(name: str) -> bool:
    path = PurePosixPath(name)
    is_about = path.stem.casefold() in ("readme", "license", "licence")
    return path.suffix.casefold() == ".txt" and not path.name.startswith(".") and not is_about


class _Budget:
    """How much may still be unpacked of one location."""

    def __init__(self, shown: str) -> None:
        self._shown, self._bytes, self._files = shown, _UNPACKED_AT_MOST, _FILES_AT_MOST

    def spend(self, size: int) -> None:
        self._bytes -= size
        self._files -= 1
        if self._bytes < 0 or self._files < 0:
            raise SourceUnreadable(
                f"ingestion: {self._shown} holds more than {_UNPACKED_AT_MOST >> 20} MiB or "
                f"{_FILES_AT_MOST:,} files of transcripts; expected one text file per debate: name "
                "a folder that holds nothing else"
            )


def _read(part: Part, at_most: int) -> bytes:
    with part.opener() as stream:
        content = stream.read(at_most + 1)
    if len(content) > at_most:
        raise SourceUnreadable(
            f"ingestion: {part.landed.shown} ({part.name}) has more than {at_most >> 20} MiB; "
            "expected a file of results or of one debate"
        )
    return content


def _texts(part: Part, name: str, budget: _Budget) -> Iterator[TranscriptFile]:
    if _is_text(name):
        # One byte more than a transcript may have: its reader says that it is too large.
        with part.opener() as stream:
            content = stream.read(MAX_BYTES + 1)
        budget.spend(len(content))
        yield TranscriptFile(PurePosixPath(name).stem, content)
        return
    packed = _read(part, MAX_BYTES * 4)
    try:
        with zipfile.ZipFile(BytesIO(packed)) as archive:
            for member in archive.infolist():
                if (
                    member.is_dir()
                    or "__MACOSX" in member.filename
                    or not _is_text(member.filename)
                ):
                    continue
                with archive.open(member) as stream:
                    content = stream.read(MAX_BYTES + 1)
                budget.spend(len(content))
                yield TranscriptFile(PurePosixPath(member.filename).stem, content)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise SourceUnreadable(
            f"ingestion: {part.landed.shown} ({name}) is a damaged or locked zip archive "
            f"({error}); fetch it again"
        ) from error


def read_workbook(content: bytes, shown: str, columns: tuple[str, ...]) -> list[Row]:
    """Return the rows of a workbook's first sheet that are not wholly blank, 64 columns at most.

    Raises:
        SourceUnreadable: It is no workbook, is too large, or lacks a column.
    """
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > _UNPACKED_AT_MOST:
            raise SourceUnreadable(
                f"ingestion: {shown} unpacks to {unpacked >> 20} MiB; expected a table of results"
            )
        book = openpyxl.load_workbook(BytesIO(content), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        # What a file says of its own size may be wrong.
        sheet.reset_dimensions()
        table = []
        rows = sheet.iter_rows(max_col=_COLUMNS_AT_MOST, values_only=True)
        for number, cells in enumerate(rows, start=1):
            if number > _ROWS_AT_MOST:
                raise SourceUnreadable(
                    f"ingestion: {shown} has more than {_ROWS_AT_MOST:,} rows; expected one per "
                    "debate"
                )
            if any(cell is not None for cell in cells):
                table.append((number, cells))
    except SourceUnreadable:
        raise
    except (
        zipfile.BadZipFile,
        InvalidFileException,
        KeyError,
        ValueError,
        TypeError,
        IndexError,
        OSError,
        AttributeError,
        SyntaxError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        zlib.error,
    ) as error:
        raise SourceUnreadable(
            f"ingestion: {shown} cannot be read as a workbook ({type(error).__name__}); expected "
            "an .xlsx file: fetch it again"
        ) from error
    header = [str(cell or "").strip().casefold() for cell in table[0][1]] if table else []
    while header and not header[-1]:
        header.pop()
    lacking = [name for name in columns if header.count(name) != 1]
    if lacking:
        raise SourceUnreadable(
            f"ingestion: {shown} has the columns {', '.join(filter(None, header)) or 'none'}; "
            f"expected each of {', '.join(columns)} once, and "
            f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} not"
        )
    return [
        Row(
            number, {name: cells[at] if at < len(cells) else None for at, name in enumerate(header)}
        )
        for number, cells in table[1:]
    ]
