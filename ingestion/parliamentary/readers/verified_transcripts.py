"""Verified transcripts as debates, and the file with their results.

A results file is a CSV with a header: `debate` (a transcript's id, or the title of one), `first` to
`fourth` with the houses (`OG`, `OO`, `CG`, `CO`), and the scores as `pm` to `ow`; ranks or scores
may be missing as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ingestion.batch import SourceFile
from ingestion.parliamentary.batch import RULES, ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.tab import (
    Room,
    Sheet,
    SpeechLine,
    debate_of,
    ranking,
    score_of,
)
from ingestion.parliamentary.tagged import TaggedSpeech, title_key
from ingestion.parliamentary.transcripts.folder import (
    TranscriptState,
    read_transcript,
    store_results,
    transcript_ids,
)
from ingestion.parliamentary.user_tables import UserTable
from ingestion.reading import BrokenRecord, Reading
from ingestion.registry import NamedSettings
from warehouse.home import Home
from warehouse.records.bp import HOUSES, ROLES, SCORE_MAX, SCORE_MIN
from warehouse.records.core import Dataset, FilterRule, Removal

if TYPE_CHECKING:
    import duckdb

NAME = "transcripts"
DATASET = Dataset(NAME, "Verified transcripts", "that of the recordings")
SPEECH_SOURCE = "transcript"
VERIFIED = FilterRule("verified", "No person stands by its transcript any more")
_RULES = (VERIFIED, *RULES)
_PLACES = ("first", "second", "third", "fourth")


def dataset_named(name: str) -> Dataset:
    """Return the data set that verified transcripts of a name belong to."""
    return DATASET if name == NAME else Dataset(name, f"{DATASET.title} ({name})", DATASET.licence)


def debate_id(state: TranscriptState) -> str:
    """Return the id of the debate that a transcript becomes."""
    return f"{state.about['dataset']}:{state.transcript_id}"


def batch_of(
    dataset: Dataset, states: Sequence[TranscriptState], files: Sequence[SourceFile]
) -> ParliamentaryBatch:
    """Return transcripts that are or were verified as debates; others have no speech."""
    return ParliamentaryBatch(dataset, files, [_debate(state) for state in states], _RULES)


def open_results(home: Home, location: str, settings: NamedSettings) -> ParliamentaryBatch:
    """Keep the results in a file, and return the verified debates with theirs.

    Raises:
        SourceUnreadable: The file is not what it should be.
    """
    dataset = settings.named(DATASET)
    table = UserTable.of(home, location, DATASET, licence=dataset.licence)
    states = [read_transcript(home, each) for each in transcript_ids(home)]
    states_of_dataset = [state for state in states if state.about["dataset"] == dataset.dataset_id]
    rows: list[tuple[str, str, dict[str, Any]]] = []
    for record in table.rows(("debate",)):
        with table.whole(record.place, record.fields):
            rows.append((record.place, *_result(record.fields, states_of_dataset)))
    twice = Counter(name for _, name, _ in rows)
    kept: dict[str, dict[str, Any]] = {}
    for place, name, results in rows:
        if twice[name] > 1:
            reason = f"{twice[name]} rows have results for {name}; nobody can say which holds"
            table.reject(place, "debate", reason, results)
        else:
            kept[name] = results
    verified = [
        replace(state, results=kept.get(state.transcript_id, state.results))
        for state in states_of_dataset
        if state.is_verified
    ]
    waiting = sorted(set(kept) - {state.transcript_id for state in verified})
    notes = [f"results kept until a person verifies: {', '.join(waiting)}"] if waiting else []
    return _ResultsBatch(
        dataset,
        table.files,
        [_debate(state) for state in verified],
        _RULES,
        rejects=table.rejects,
        notes=notes,
        home=home,
        results=kept,
    )


@dataclass(frozen=True, kw_only=True)
class _ResultsBatch(ParliamentaryBatch):
    """Debates with their results, kept beside the transcripts once the load is accepted."""

    home: Home
    results: Mapping[str, Mapping[str, Any]]

    def checked(self, connection: duckdb.DuckDBPyConnection) -> _ResultsBatch:
        del connection
        for name, results in self.results.items():
            store_results(self.home, name, results)
        return self


def _result(
    fields: Mapping[str, Any], states: Collection[TranscriptState]
) -> tuple[str, dict[str, Any]]:
    """Return the id of a row's transcript, and its results."""
    cells = {
        str(name).strip().lower(): str(value).strip()
        for name, value in fields.items()
        if value is not None and str(value).strip()
    }
    named = cells.get("debate", "")
    matching = [
        state.transcript_id
        for state in states
        if named == state.transcript_id or title_key(named) == title_key(state.about["title"])
    ]
    exact = [each for each in matching if each == named] or matching
    if len(exact) != 1:
        found = f"{len(exact)} transcripts have this title" if exact else "no transcript has it"
        raise BrokenRecord("debate", f"should name one transcript by id or title; {found}")
    houses = [cells[place].lower() for place in _PLACES if place in cells]
    if houses and sorted(houses) != sorted(HOUSES):
        reason = f"first to fourth should be the four houses, once each; found {houses}"
        raise BrokenRecord("first", reason)
    scores = {role: _score(cells[role]) for role in ROLES if role in cells}
    wrong = [role for role, score in scores.items() if score is None]
    if wrong or (scores and len(scores) != len(ROLES)):
        role = wrong[0] if wrong else next(role for role in ROLES if role not in scores)
        raise BrokenRecord(
            role,
            f"should be a score from {SCORE_MIN} to {SCORE_MAX} for each of the eight speeches, "
            f"or for none; found {cells.get(role)!r}",
        )
    if not houses and not scores:
        raise BrokenRecord("first", "there is neither a ranking nor a score")
    return exact[0], {"houses": houses, "scores": scores}


def _score(cell: str) -> float | None:
    try:
        return score_of(float(cell))
    except ValueError:
        return None


def _debate(state: TranscriptState) -> ParliamentaryDebate:
    """Return the debate of a transcript; one that is not verified has no speech."""
    about, results = state.about, state.results or {}
    dataset_id = about["dataset"]
    lines = {role: SpeechLine(score=score) for role, score in results.get("scores", {}).items()}
    sheet = Sheet(ranking(results.get("houses", []), has_points=True), lines)
    room = Room(
        identity=state.transcript_id,
        about={name: about[name] for name in ("motion", "info_slide")},
        extra={"title": about["title"], "transcript": state.transcript_id},
        sheets=[sheet],
        removal=Removal(VERIFIED.rule, f"its transcript is {state.row['status']}"),
    )
    if state.is_verified:
        by_role = {row["role"]: row for row in state.segments if row["verified_text"]}
        speeches = [
            TaggedSpeech(
                role,
                by_role[role]["verified_text"],
                **{name: by_role[role].get(name) for name in ("speaker", "start_s", "end_s")},
            )
            for role in ROLES
        ]
        room = replace(room, speeches=speeches, speech_source=SPEECH_SOURCE, removal=None)
    return debate_of(dataset_id, room, Reading(dataset_id))
