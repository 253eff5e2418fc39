"""Source `debatebench`: British Parliamentary debates with the scores and ranks of their panels.

A workbook of results and tagged transcripts, brought together by their titles. Nothing is guessed:
a transcript is matched, ambiguous or missing its result. The workbook is read for its values: no
formula is computed and no link followed. Archives are read where they are, so that the names of
their members decide nothing on disk.
"""

import difflib
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from ingestion.errors import SourceUnreadable
from ingestion.landing import Landed
from ingestion.parliamentary.batch import RULES, ParliamentaryBatch
from ingestion.parliamentary.files import DAMAGED, WORKBOOK_SUFFIX, read_bounded, read_small_files
from ingestion.parliamentary.settings import AliasSettings
from ingestion.parliamentary.sources.debatebench import REPO, URL
from ingestion.parliamentary.tab import (
    SCORE_RANGE,
    Matching,
    Room,
    Sheet,
    SpeechLine,
    debate_of,
    ranking,
    score_of,
)
from ingestion.parliamentary.tagged import MAX_BYTES, read_tagged, title_key, transcript_text
from ingestion.parliamentary.user_tables import UserTable, read_motions
from ingestion.reading import BrokenRecord, Reading
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES, Role
from warehouse.records.core import Dataset
from warehouse.records.parliamentary import MatchStatus, TranscriptMatch

NAME = "debatebench"
DATASET = Dataset(
    dataset_id=NAME,
    title="DebateBench: British Parliamentary debates with official results",
    licence="Not stated; see the source's page",
    citation="DebateBench: a benchmark of long British Parliamentary debates, arXiv 2502.06279",
    url=URL,
)
WORKBOOK, FOLDER = "scores.xlsx", "Cleaned Speeches"
_TITLE, _PLACES = "tourney", ("first", "second", "third", "fourth")
COLUMNS = (_TITLE, *ROLES, *_PLACES)
_ALIAS_COLUMNS = ("transcript", "result")
_TITLE_AT_MOST = 250
_CLOSE_ENOUGH, _CANDIDATES = 0.8, 3
_UNPACKED_AT_MOST = 256 << 20
_FILES_AT_MOST = 10_000
_ROWS_AT_MOST = 100_000
# The last cell of a row decides its width, were it the only one: 9,000 such rows took 1 GB.
_COLUMNS_AT_MOST = 64
# What openpyxl raises for a damaged or hostile workbook.
_NO_WORKBOOK = (
    *DAMAGED,
    *(InvalidFileException, LookupError, ValueError, TypeError, OSError),
    *(AttributeError, SyntaxError),
)


class Row(NamedTuple):
    """A row of the workbook: its number, from 1, and its cells by the header in lower case."""

    number: int
    cells: dict[str, Any]


class Texts(NamedTuple):
    """The files of a location: the landed ones, the workbook, and the transcripts by title."""

    landed: list[Landed]
    workbook: tuple[str, bytes]
    transcripts: list[tuple[str, bytes]]


@dataclass(frozen=True)
class Result:
    """A row of results; its sheet has what can be read of scores and ranks."""

    title: str
    row: int
    sheet: Sheet

    @property
    def name(self) -> str:
        """The row, for people."""
        return f"{self.title} (row {self.row})"

    @property
    def contradiction(self) -> str | None:
        """The pairs of houses that are ranked against their sums of scores, if any."""
        sums = self.sheet.house_sums()
        pairs = [
            f"{better.upper()} is before {worse.upper()} with {sums[better]:g} to {sums[worse]:g}"
            for better, worse in combinations(self.sheet.houses, 2)
            if sums is not None and sums[better] <= sums[worse]
        ]
        return f"the ranking contradicts the scores: {', '.join(pairs)}" if pairs else None


def open_debatebench(home: Home, location: str, settings: AliasSettings) -> ParliamentaryBatch:
    """Return the debates of a location.

    Args:
        location: A folder or archive with workbook and transcripts, the workbook, or the address
            of the data set on the hub.
        settings: Of these, aliases are a CSV file with the columns `transcript` and `result`,
            titles that belong together.

    Raises:
        SourceUnreadable: The location does not hold the source's files.
    """
    dataset = settings.named(DATASET)
    found = find_files(home, location, dataset, settings.transcripts)
    rows = read_workbook(found.workbook[1], found.workbook[0], COLUMNS)
    reading = Reading(location)
    results = read_results(rows, reading)
    motions = read_motions(home, settings.motions, dataset)
    named = UserTable.of(home, settings.aliases, dataset)
    matching = _Matching(dataset.dataset_id, results=results, aliases=_read_aliases(named, results))
    rooms = _read_transcripts(found.transcripts, matching, reading)
    debates = []
    for room in map(matching.with_result, rooms):
        if "contradiction" in room.extra:
            reading.note(f"{room.extra['result']}: {room.extra['contradiction']}")
        if room.speech_problem:
            reading.note(f"{room.place}: {room.speech_problem}")
        debates.append(debate_of(dataset.dataset_id, room, reading, motions))
    for result in (row for key in results if key not in matching.claims for row in results[key]):
        matching.note("missing", "no transcript has this title", None, result_row=result.name)
    _note_matches(matching.matches, reading)
    first, *others = dict.fromkeys(found.landed)
    files = [reading.source_file(first), *(each.source_file(0) for each in others)]
    return ParliamentaryBatch(
        dataset=dataset,
        files=[*files, *motions.table.files, *named.files],
        debates=debates,
        rules=RULES,
        matches=matching.matches,
        rejects=[*reading.rejects, *motions.table.rejects, *named.rejects],
        notes=[*reading.notes, *motions.notes],
    )


def find_files(home: Home, location: str, dataset: Dataset, transcripts: str | None) -> Texts:
    """Land a location and return its workbook and transcripts.

    Raises:
        SourceUnreadable: One of them is not there, or an archive is damaged or unpacks to too much.
    """
    path = Path(location).expanduser()
    if location.startswith("hf://"):
        # Costs everyone else a quarter of a second.
        from ingestion.sources import hub

        suffixes = (WORKBOOK_SUFFIX, ".txt", ".zip")
        fetched = hub.fetch_files(
            home, location, repo=REPO, suffixes=suffixes, licence=dataset.licence
        )
        opened = ((name, each.path.open("rb")) for name, each in fetched.items())
        files: Mapping[str, bytes] = read_bounded(opened, location)
        landed, there = list(fetched.values()), ", ".join(list(files)[:8]) or "nothing"
    else:
        suffixes = (WORKBOOK_SUFFIX, ".txt", ".zip")
        found = read_small_files(home, location, dataset, suffixes)
        files, landed, there = found.files, [found.landed], found.names
        if transcripts is None and path.is_file() and path.suffix.casefold() == WORKBOOK_SUFFIX:
            beside = (path.parent / name for name in (FOLDER, f"{FOLDER}.zip"))
            transcripts = next((str(each) for each in beside if each.exists()), None)
    books = [name for name in files if name.casefold().endswith(WORKBOOK_SUFFIX)]
    named = [name for name in books if PurePosixPath(name).name.casefold() == WORKBOOK] or books
    if len(named) != 1:
        raise SourceUnreadable(
            f"ingestion: {location} has {len(named) or 'no'} workbooks of results, expected "
            f"one ({WORKBOOK}); it has {there}. Several things are called DebateBench: this "
            "source reads the one of British Parliamentary debates with eight speeches; debates "
            "between models are the source 'judgebench', and the Public Forum debates, the "
            "package and the command of that name are others"
        )
    workbook = (f"{location} ({named[0]})", files[named[0]])
    if transcripts is not None:
        other = read_small_files(home, transcripts, dataset, (".txt", ".zip"))
        files = other.files
        landed.append(other.landed)
    texts = _texts(files, transcripts or location)
    if not texts:
        raise SourceUnreadable(
            f"ingestion: {transcripts or location} has no transcripts; expected one text file per "
            f"debate (.txt) in a folder '{FOLDER}' or an archive of it: name theirs with "
            "--transcripts FOLDER"
        )
    return Texts(landed, workbook, texts)


def _texts(files: Mapping[str, bytes], at: str) -> list[tuple[str, bytes]]:
    """Return the transcripts among files, and those of archives among them, with their titles."""

    def is_text(name: str) -> bool:
        path = PurePosixPath(name)
        is_about = path.stem.casefold() in ("readme", "license", "licence")
        return path.suffix.casefold() == ".txt" and not path.name.startswith(".") and not is_about

    texts: list[tuple[str, bytes]] = []
    for name, content in files.items():
        if is_text(name):
            texts.append((name, content))
        elif name.casefold().endswith(".zip"):
            try:
                with zipfile.ZipFile(BytesIO(content)) as archive:
                    opened = (
                        (each.filename, archive.open(each))
                        for each in archive.infolist()
                        if is_text(each.filename) and "__MACOSX" not in each.filename
                    )
                    # A byte more than a transcript may have is read: its reader rejects it alone.
                    texts += read_bounded(opened, f"{at} ({name})", MAX_BYTES).items()
            except DAMAGED as error:
                raise SourceUnreadable(
                    f"ingestion: {at} ({name}) is a damaged or locked zip archive ({error}); "
                    "fetch it again"
                ) from error
        unpacked = sum(len(content) for _, content in texts)
        if unpacked > _UNPACKED_AT_MOST or len(texts) > _FILES_AT_MOST:
            raise SourceUnreadable(
                f"ingestion: {at} holds more than {_UNPACKED_AT_MOST >> 20} MiB or "
                f"{_FILES_AT_MOST:,} files of transcripts; expected one text file per debate: name "
                "a folder that holds nothing else"
            )
    return [(PurePosixPath(name).stem, content) for name, content in texts]


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
    except _NO_WORKBOOK as error:
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


def read_results(rows: Iterable[Row], reading: Reading) -> dict[str, list[Result]]:
    """Return the results by the key of their titles.

    A score that is no number from 50 to 100 is rejected alone, and a ranking that does not name
    each house once as a whole; the rest of the row stays.
    """
    results: dict[str, list[Result]] = {}
    for number, cells in rows:
        reading.records += 1
        place = f"row {number}"
        cell = cells[_TITLE]
        # Spreadsheets break long titles, and paste spaces that do not break.
        title = " ".join(cell.split()) if isinstance(cell, str) else ""
        key = title_key(title) if title.isprintable() else ""
        if not key or len(title) > _TITLE_AT_MOST:
            reason = f"should be the debate's title; found {shown(cell)}"
            reading.reject(place, _TITLE, reason, cells)
            continue
        scores: dict[Role, SpeechLine] = {}
        for role in ROLES:
            if (score := score_of(cells[role])) is not None:
                scores[role] = SpeechLine(score=score)
            elif cells[role] is None:
                reading.repaired["scores that are blank"] += 1
            else:
                reason = f"{SCORE_RANGE}; found {shown(cells[role])}"
                reading.reject(place, role.upper(), reason, {role: cells[role]})
        places = {name: cells[name] for name in _PLACES}
        houses = tuple(str(cell or "").strip().casefold() for cell in places.values())
        is_ranking = sorted(houses) == sorted(HOUSES)
        if all(cell is None for cell in places.values()):
            reading.repaired["rows of results without a ranking"] += 1
        elif not is_ranking:
            reason = "First to Fourth should name each of OG, OO, CG and CO once; found "
            found = ", ".join(map(str, places.values()))[:80]
            reading.reject(place, "First", reason + found, places)
        sheet = Sheet(ranking(houses if is_ranking else ()), scores)
        same = results.setdefault(key, [])
        if any(each.sheet == sheet for each in same):
            reading.repaired["rows of results that are there more than once, read once"] += 1
        else:
            same.append(Result(title, number, sheet))
    return results


@dataclass
class _Matching(Matching):
    """The matches of transcripts and results so far.

    Attributes:
        results: Rows by the key of their titles.
        aliases: The key of a row's title by that of a transcript's, from the user's file.
        claims: Number of transcripts with the title of a row.
    """

    results: Mapping[str, Sequence[Result]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    claims: Counter[str] = field(default_factory=Counter)

    def with_result(self, room: Room) -> Room:
        """Return the room of a transcript with its result, or the reason why it has none."""
        title, own_key = room.names[0], room.identity.replace("-", " ")
        key = self.aliases.get(own_key, own_key)
        found = self.results.get(key, ())
        candidates, problem = [row.name for row in found], None
        if not found:
            problem = "no row of results has this title"
            titles = {each: rows[0].title for each, rows in self.results.items()}
            close = difflib.get_close_matches(key, titles, _CANDIDATES, _CLOSE_ENOUGH)
            candidates = [titles[each] for each in close]
        elif len(found) > 1:
            problem = f"{len(found)} rows of this title have other results"
        elif self.claims[key] > 1:
            problem = f"{self.claims[key]} transcripts claim this row"
        debate_id = f"{self.dataset_id}:{room.identity}"
        if problem:
            status: MatchStatus = "ambiguous" if found else "missing"
            more = {"debate_id": debate_id, "candidates": tuple(candidates)}
            self.note(status, problem, title, **more)
            return replace(room, result_problem=problem)
        (result,) = found
        is_alias = own_key in self.aliases
        reason = "named in the file of aliases" if is_alias else "the same title"
        self.note("matched", reason, title, debate_id=debate_id, result_row=result.name)
        extra = {**room.extra, "result": result.name}
        if result.contradiction:
            extra["contradiction"] = result.contradiction
        return replace(room, names=[title, result.title], extra=extra, sheets=[result.sheet])


def _read_transcripts(
    texts: Iterable[tuple[str, bytes]], matching: _Matching, reading: Reading
) -> list[Room]:
    """Return the transcripts that can be read as rooms, one for each title."""
    contents: dict[str, list[tuple[str, bytes]]] = {}
    for title, content in sorted(texts, key=lambda each: each[0]):
        same = contents.setdefault(title_key(title), [])
        if any(each == content for _, each in same):
            reading.repaired["transcripts that are there more than once, read once"] += 1
        else:
            same.append((title, content))
    rooms = []
    for key, same in contents.items():
        reading.records += len(same)
        name = " ".join(same[0][0].split())
        title = "".join(each if each.isprintable() else "?" for each in name)
        if not key or max(len(key), len(title)) > _TITLE_AT_MOST:
            reason = f"its file's name should be the debate's title; found {shown(title)}"
            reading.reject("a transcript", "title", reason, title)
            continue
        matching.claims[matching.aliases.get(key, key)] += 1
        place = f"transcript {title!r}"
        if len(same) > 1:
            reason = f"{len(same)} transcripts have this title and other words"
            reading.reject(place, "title", reason, [each for each, _ in same])
            matching.note("ambiguous", reason, title)
            continue
        try:
            tagged = read_tagged(transcript_text(same[0][1], place))
        except SourceUnreadable as error:
            reading.reject(place, None, str(error), title)
            matching.note("missing", "the transcript cannot be read", title)
            continue
        if tagged.stray_words:
            reading.repaired["words of transcripts outside all tags, which no speech has"] += (
                tagged.stray_words
            )
        rooms.append(
            Room(
                identity=key.replace(" ", "-"),
                place=place,
                names=[title],
                extra={"transcript": title},
                speeches=tagged.speeches,
                speech_problem=tagged.problem,
                speech_source=NAME,
            )
        )
    return rooms


def _note_matches(matches: Sequence[TranscriptMatch], reading: Reading) -> None:
    transcripts = [match for match in matches if match.transcript is not None]
    for status in ("matched", "ambiguous", "missing"):
        of_status = [str(match.transcript) for match in transcripts if match.status == status]
        names = f" ({'; '.join(of_status)})" if of_status and status != "matched" else ""
        reading.note(f"transcripts {status}: {len(of_status):,}{names}")
    without = len(matches) - len(transcripts)
    reading.note(f"rows of results without a transcript: {without:,}")


def _read_aliases(table: UserTable, results: Mapping[str, Sequence[Result]]) -> dict[str, str]:
    """Return the key of a row's title by that of a transcript's.

    A row is rejected that names a row of results that is not there, or a transcript once more for
    another one.
    """
    keys: dict[str, str] = {}
    for row in table.rows(_ALIAS_COLUMNS):
        transcript, result = (title_key(row.fields[name]) for name in _ALIAS_COLUMNS)
        with table.whole(row.place, row.fields):
            if result not in results:
                reason = f"no row of results has this title; found {shown(row.fields['result'])}"
                raise BrokenRecord("result", reason)
            if keys.setdefault(transcript, result) != result:
                reason = "another row names another result for this transcript"
                raise BrokenRecord("result", reason)
    return keys
