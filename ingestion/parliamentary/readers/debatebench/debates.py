"""Source `debatebench`: British Parliamentary debates with the scores and ranks of their panels.

A workbook of results and a folder of tagged transcripts, brought together by their titles. What
cannot be told for certain is not guessed: a transcript is matched, ambiguous or missing its result.
"""

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

from ingestion.errors import SourceUnreadable
from ingestion.json_values import as_json, finite
from ingestion.parliamentary.batch import (
    ParliamentaryBatch,
    ParliamentaryDebate,
    panel_speakers,
    panel_teams,
)
from ingestion.parliamentary.readers.debatebench.files import (
    Row,
    TranscriptFile,
    find_files,
    read_workbook,
)
from ingestion.parliamentary.readers.tabs.motions import Motions, UserTable, read_motions
from ingestion.parliamentary.readers.tabs.rooms import (
    TaggedTranscript,
    read_tagged,
    title_key,
    transcript_text,
)
from ingestion.parliamentary.rules import RULES, removal_of
from ingestion.parliamentary.settings import AliasSettings
from ingestion.parliamentary.sources.debatebench import URL
from ingestion.reading import BrokenRecord, Reading
from ingestion.sources.csv_cells import shown
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES, SCORE_MAX, SCORE_MIN, house_sums
from warehouse.records.core import Dataset
from warehouse.records.parliamentary import AboutDebate, MatchStatus, TranscriptMatch

_TITLE, _PLACES = "tourney", ("first", "second", "third", "fourth")
COLUMNS = (_TITLE, *ROLES, *_PLACES)
_TITLE_AT_MOST = 250
NAME = "debatebench"
DATASET = Dataset(
    dataset_id=NAME,
    title="DebateBench: British Parliamentary debates with official results",
    licence="Not stated; see the source's page",
    citation="DebateBench: a benchmark of long British Parliamentary debates, arXiv 2502.06279",
    url=URL,
)
_ALIAS_COLUMNS = ("transcript", "result")
_CLOSE_ENOUGH, _CANDIDATES = 0.8, 3


@dataclass(frozen=True)
class Result:
    """One row.

    Attributes:
        scores: The panel's score of each speech; those that cannot be read are not there.
        ranking: The houses from first to fourth; None where they are no ranking.
    """

    title: str
    row: int
    scores: Mapping[str, float]
    ranking: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """The row, for people."""
        return f"{self.title} (row {self.row})"

    @property
    def said(self) -> tuple[Any, ...]:
        """What the row says of the debate: two rows that say the same are one result."""
        return (dict(self.scores), self.ranking)

    @property
    def contradiction(self) -> str | None:
        """Where the ranking is not that of the houses' sums of scores; None where it cannot be."""
        if self.ranking is None or len(self.scores) < len(ROLES):
            return None
        sums = house_sums(self.scores)
        pairs = [
            f"{better.upper()} is before {worse.upper()} with {sums[better]:g} to {sums[worse]:g}"
            for better, worse in combinations(self.ranking, 2)
            if sums[better] <= sums[worse]
        ]
        return f"the ranking contradicts the scores: {', '.join(pairs)}" if pairs else None


def read_results(rows: Iterable[Row], reading: Reading) -> dict[str, list[Result]]:
    """Return the results by what spellings of their titles have in common.

    A score that is no number from 50 to 100 is rejected alone, and a ranking that does not name
    each house once as a whole; the rest of the row stays.
    """
    results: dict[str, list[Result]] = {}
    for row in rows:
        reading.records += 1
        place = f"row {row.number}"
        cell = row.cells[_TITLE]
        # Spreadsheets break long titles, and paste spaces that do not break.
        title = " ".join(cell.split()) if isinstance(cell, str) else ""
        key = title_key(title) if title.isprintable() else ""
        if not key or len(title) > _TITLE_AT_MOST:
            reason = f"should be the debate's title; found {shown(cell)}"
            reading.reject(place, _TITLE, reason, row.cells)
            continue
        scores: dict[str, float] = {
            role: score for role in ROLES if (score := _score(row, role, reading)) is not None
        }
        result = Result(title, row.number, scores, _ranking(row, reading))
        same = results.setdefault(key, [])
        if any(other.said == result.said for other in same):
            reading.repaired["rows of results that are there more than once, read once"] += 1
        else:
            same.append(result)
    return results


def _score(row: Row, role: str, reading: Reading) -> float | None:
    cell = row.cells[role]
    score = finite(cell)
    if score is not None and SCORE_MIN <= score <= SCORE_MAX:
        return score
    if cell is None:
        reading.repaired["scores that are blank"] += 1
        return None
    reason = f"should be a number from {SCORE_MIN} to {SCORE_MAX}; found {shown(cell)}"
    reading.reject(f"row {row.number}", role.upper(), reason, {role: cell})
    return None


def _ranking(row: Row, reading: Reading) -> tuple[str, ...] | None:
    cells = [row.cells[place] for place in _PLACES]
    if all(cell is None for cell in cells):
        reading.repaired["rows of results without a ranking"] += 1
        return None
    ranking = tuple(str(cell or "").strip().casefold() for cell in cells)
    if sorted(ranking) == sorted(HOUSES):
        return ranking
    found = ", ".join(str(cell) for cell in cells)
    reason = f"First to Fourth should name each of OG, OO, CG and CO once; found {found[:80]}"
    original = {place: row.cells[place] for place in _PLACES}
    reading.reject(f"row {row.number}", "First", reason, original)
    return None


class _Transcript(NamedTuple):
    """A transcript that was read; what it says, and what its file is called."""

    title: str
    key: str
    tagged: TaggedTranscript


@dataclass
class _Matching:
    """Which result is whose, as it is being found out.

    Attributes:
        results: Results by title.
        aliases: The title of a row by that of a transcript, where a user says so.
        claims: How many transcripts have the title of a row.
    """

    dataset_id: str
    results: Mapping[str, Sequence[Result]]
    aliases: Mapping[str, str]
    claims: Counter[str] = field(default_factory=Counter)
    matches: list[TranscriptMatch] = field(default_factory=list)

    def claim(self, key: str) -> None:
        """Take note that there is a transcript of this title."""
        self.claims[self.aliases.get(key, key)] += 1

    def say(self, status: MatchStatus, reason: str, **more: Any) -> None:
        """Write down the outcome of a transcript or a row."""
        self.matches.append(
            TranscriptMatch(dataset_id=self.dataset_id, status=status, reason=reason, **more)
        )

    def of(self, transcript: _Transcript, debate_id: str) -> tuple[Result | None, str | None]:
        """Return a transcript's result, or why it has none; and write the match down."""
        key = self.aliases.get(transcript.key, transcript.key)
        found = self.results.get(key, ())
        result, problem, candidates = None, None, [row.name for row in found]
        status: MatchStatus = "ambiguous"
        if not found:
            status, problem = "missing", "no row of results has this title"
            titles = {each: rows[0].title for each, rows in self.results.items()}
            close = difflib.get_close_matches(key, titles, _CANDIDATES, _CLOSE_ENOUGH)
            candidates = [titles[each] for each in close]
        elif len(found) > 1:
            problem = f"{len(found)} rows of this title have other results"
        elif self.claims[key] > 1:
            problem = f"{self.claims[key]} transcripts claim this row"
        else:
            status, result, candidates = "matched", found[0], []
        is_alias = transcript.key in self.aliases
        reason = problem or ("named in the file of aliases" if is_alias else "the same title")
        self.say(
            status,
            reason,
            transcript=transcript.title,
            result_row=result.name if result else None,
            debate_id=debate_id,
            candidates=tuple(candidates),
        )
        return result, problem

    def rest(self) -> None:
        """Write down the rows of results that no transcript belongs to."""
        for key, rows in self.results.items():
            if key not in self.claims:
                for row in rows:
                    self.say("missing", "no transcript has this title", result_row=row.name)


def open_debatebench(home: Home, location: str, settings: AliasSettings) -> ParliamentaryBatch:
    """Return the debates of a location.

    Args:
        location: A folder or archive with workbook and transcripts, the workbook, or the address
            of the data set on the hub.
        settings: What the user says; aliases are a CSV file with the columns `transcript` and
            `result`, titles that belong together.

    Raises:
        SourceUnreadable: The location does not hold the source's files.
    """
    dataset = settings.named(DATASET)
    found = find_files(home, location, dataset, settings.transcripts)
    rows = read_workbook(found.workbook, found.landed[0].shown, COLUMNS)
    reading = Reading(found.shown)
    results = read_results(rows, reading)
    known = read_motions(home, settings.motions, dataset)
    named = UserTable.of(home, settings.aliases, dataset)
    matching = _Matching(dataset.dataset_id, results, _read_aliases(named, results))
    read = _read_transcripts(found.transcripts, matching, reading)
    debates = [_debate(each, dataset.dataset_id, matching, known, reading) for each in read]
    matching.rest()
    _note_matches(matching.matches, reading)
    workbook, *others = found.landed
    files = [reading.source_file(workbook), *(each.source_file(0) for each in others)]
    return ParliamentaryBatch(
        dataset=dataset,
        files=[*files, *known.table.files, *named.files],
        debates=debates,
        rules=RULES,
        matches=matching.matches,
        rejects=[*reading.rejects, *known.table.rejects, *named.rejects],
        notes=[*reading.notes, *known.notes],
    )


def _read_transcripts(
    files: Iterable[TranscriptFile], matching: _Matching, reading: Reading
) -> list[_Transcript]:
    """Return the transcripts that can be read, those of one title but once."""
    contents: dict[str, list[TranscriptFile]] = {}
    for each in sorted(files, key=lambda one: one.title):
        same = contents.setdefault(title_key(each.title), [])
        if any(one.content == each.content for one in same):
            reading.repaired["transcripts that are there more than once, read once"] += 1
        else:
            same.append(each)
    read = []
    for key, same in contents.items():
        reading.records += len(same)
        name = " ".join(same[0].title.split())
        title = "".join(each if each.isprintable() else "?" for each in name)
        if not key or max(len(key), len(title)) > _TITLE_AT_MOST:
            reason = f"its file's name should be the debate's title; found {shown(title)}"
            reading.reject("a transcript", "title", reason, title)
            continue
        matching.claim(key)
        place = f"transcript {title!r}"
        if len(same) > 1:
            reason = f"{len(same)} transcripts have this title and other words"
            reading.reject(place, "title", reason, [each.title for each in same])
            matching.say("ambiguous", reason, transcript=title)
            continue
        try:
            tagged = read_tagged(transcript_text(same[0].content, place))
        except SourceUnreadable as error:
            reading.reject(place, None, str(error), title)
            matching.say("missing", "the transcript cannot be read", transcript=title)
            continue
        read.append(_Transcript(title, key, tagged))
    return read


def _debate(
    transcript: _Transcript,
    dataset_id: str,
    matching: _Matching,
    motions: Motions,
    reading: Reading,
) -> ParliamentaryDebate:
    debate_id = f"{dataset_id}:{transcript.key.replace(' ', '-')}"
    result, problem = matching.of(transcript, debate_id)
    extra = {"transcript": transcript.title}
    if result:
        extra["result"] = result.name
    if result and result.contradiction:
        extra["contradiction"] = result.contradiction
        reading.note(f"{result.name}: {result.contradiction}")
    if transcript.tagged.problem:
        reading.note(f"transcript {transcript.title!r}: {transcript.tagged.problem}")
    if transcript.tagged.stray_words:
        reading.repaired["words of transcripts outside all tags, which no speech has"] += (
            transcript.tagged.stray_words
        )
    of: dict[str, Any] = {"debate_id": debate_id, "dataset_id": dataset_id}
    speeches = transcript.tagged.as_speeches(of, NAME)
    teams = panel_teams(of, result.ranking or () if result else ())
    speakers = panel_speakers(of, result.scores if result else {})
    about = AboutDebate(**of, extra=as_json(extra))
    return ParliamentaryDebate(
        motions.onto(about, transcript.title, *([result.title] if result else [])),
        speeches,
        teams,
        speakers,
        removal=removal_of(
            speeches,
            teams,
            speakers,
            speech_problem=transcript.tagged.problem,
            result_problem=problem,
        ),
    )


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
        with table.whole(row):
            if result not in results:
                reason = f"no row of results has this title; found {shown(row.fields['result'])}"
                raise BrokenRecord("result", reason)
            if keys.setdefault(transcript, result) != result:
                reason = "another row names another result for this transcript"
                raise BrokenRecord("result", reason)
    return keys
