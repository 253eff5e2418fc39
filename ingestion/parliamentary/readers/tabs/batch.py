"""From the rooms of a tab to the debates that are loaded, with transcripts and motions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from ingestion.batch import SourceFile
from ingestion.json_values import as_json
from ingestion.landing import Landed
from ingestion.parliamentary.batch import ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.readers.tabs.files import read_small_files
from ingestion.parliamentary.readers.tabs.motions import read_motions
from ingestion.parliamentary.readers.tabs.results import results_of
from ingestion.parliamentary.readers.tabs.rooms import (
    Room,
    TaggedTranscript,
    Team,
    name_of,
    read_tagged,
    title_key,
    transcript_text,
)
from ingestion.parliamentary.rules import RULES, removal_of
from ingestion.reading import Reading
from warehouse.home import Home
from warehouse.records.core import Dataset, Speech
from warehouse.records.parliamentary import (
    PANEL,
    AboutDebate,
    Adjudicator,
    MatchStatus,
    SpeakerResult,
    TeamResult,
    TranscriptMatch,
)

_STRAY = "words of transcripts outside all speeches, left out"


@dataclass
class Transcripts:
    """Transcripts matched with rooms.

    Attributes:
        files: What holds them; none where the user names no transcripts.
        of_room: The transcript of a room, by the room's identity.
        problems: Why a room that transcripts name has none, by its identity.
        matches: What happened to each transcript, and to each room without one.
    """

    dataset_id: str
    files: list[SourceFile] = field(default_factory=list)
    of_room: dict[str, TaggedTranscript] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    matches: list[TranscriptMatch] = field(default_factory=list)

    def say(self, status: MatchStatus, reason: str, transcript: str | None, **more: Any) -> None:
        """Write down the outcome of a transcript; names of files may hold anything."""
        self.matches.append(
            TranscriptMatch(
                dataset_id=self.dataset_id,
                status=status,
                reason=reason,
                transcript=name_of(transcript),
                **more,
            )
        )


def batch_of(
    home: Home,
    dataset: Dataset,
    rooms: Sequence[Room],
    reading: Reading,
    landed: Landed,
    *,
    motions: str | None = None,
    transcripts: str | None = None,
) -> ParliamentaryBatch:
    """Return the debates of rooms.

    Args:
        reading: What was met while they were read; its count is that of the first file.
        landed: The file they come from.
        motions: The user's file of motions.
        transcripts: The user's folder or archive of tagged transcripts.

    Raises:
        SourceUnreadable: A file of the user's is not there, or is none.
    """
    found = _match_transcripts(home, dataset, rooms, transcripts, reading)
    said = read_motions(home, motions, dataset)
    debates = []
    for room in rooms:
        with reading.whole(room.place, room.identity):
            made = _debate(dataset.dataset_id, room, reading, found)
            debates.append(replace(made, debate=said.onto(made.debate, *room.names)))
    # Rejects go by the name the user gave, whatever the landing calls the same bytes.
    return ParliamentaryBatch(
        dataset=dataset,
        files=[reading.source_file(landed), *found.files, *said.table.files],
        debates=debates,
        rules=RULES,
        matches=found.matches,
        rejects=[*reading.rejects, *said.table.rejects],
        notes=[*reading.notes, *said.notes],
    )


def _debate(
    dataset_id: str, room: Room, reading: Reading, transcripts: Transcripts
) -> ParliamentaryDebate:
    """Return the debate of a room, with every result its sheets have."""
    of: dict[str, Any] = {
        "debate_id": f"{dataset_id}:{room.identity}",
        "dataset_id": dataset_id,
    }
    transcript = transcripts.of_room.get(room.identity)
    speeches: list[Speech] = []
    if transcript:
        speeches = transcript.as_speeches(of, dataset_id)
    found = results_of(room, reading)

    def person(identity: str) -> str:
        return f"{dataset_id}:{room.identity.rpartition('/')[0]}/{identity}"

    def decided_by(adjudicator: str | None) -> str:
        return PANEL if adjudicator is None else person(adjudicator)

    teams = [
        TeamResult(
            **of,
            decided_by=decided_by(sheet.adjudicator),
            house=house,
            team=(team := room.teams.get(house, Team())).name,
            team_rank=result.rank,
            points=result.points,
            is_swing=team.is_swing,
            extra=_json({**sheet.extra, **result.extra}),
        )
        for sheet in found.sheets
        for house, result in sheet.houses.items()
    ]
    speakers = [
        SpeakerResult(
            **of,
            decided_by=decided_by(sheet.adjudicator),
            role=role,
            speaker=line.speaker,
            score=line.score,
            is_ghost=line.is_ghost,
            extra=_json(sheet.extra),
        )
        for sheet in found.sheets
        for role, line in sheet.speeches.items()
    ]
    about = AboutDebate(
        **of,
        motion=room.motion,
        info_slide=room.info_slide,
        tournament=room.tournament,
        round=room.round,
        room=room.room,
        start_date=room.start_date,
        extra=_json(room.extra),
    )
    panel = [
        Adjudicator(
            **of,
            adjudicator_id=person(seat.identity),
            name=seat.name,
            is_chair=seat.is_chair,
            is_trainee=seat.is_trainee,
        )
        for seat in room.panel
    ]
    problem = transcript.problem if transcript else transcripts.problems.get(room.identity)
    removal = removal_of(
        speeches,
        teams,
        speakers,
        speech_problem=problem,
        result_problem=room.result_problem or found.problem,
    )
    return ParliamentaryDebate(about, speeches, teams, speakers, panel, removal)


def _json(fields: Mapping[str, Any]) -> str | None:
    said = {name: value for name, value in fields.items() if value is not None}
    return as_json(said) if said else None


def _match_transcripts(
    home: Home, dataset: Dataset, rooms: Sequence[Room], location: str | None, reading: Reading
) -> Transcripts:
    """Match transcripts with rooms by name, in any spelling, and guess nothing.

    A transcript is named by the room's id, or by round and room such as `Round 3 Room 12`, with or
    without the tournament before them.
    """
    found = Transcripts(dataset.dataset_id)
    if location is None:
        return found
    read = read_small_files(home, location, dataset, (".txt",))
    found.files = [read.landed.source_file(len(read.files))]
    known = _by_name(rooms)
    claims: dict[str, list[str]] = defaultdict(list)
    for name in sorted(read.files):
        fitting = known.get(title_key(PurePosixPath(name).stem), [])
        if len(fitting) == 1:
            claims[fitting[0]].append(name)
        elif fitting:
            reason = f"it fits {len(fitting)} rooms"
            found.say("ambiguous", reason, name, candidates=tuple(fitting))
        else:
            found.say("missing", "no room of the tab has this name", name)
    for room in rooms:
        names = claims.get(room.identity, [])
        of = {"result_row": room.identity}
        debate_id = f"{dataset.dataset_id}:{room.identity}"
        if len(names) == 1:
            text = transcript_text(read.files[names[0]], f"{read.landed.shown} ({names[0]})")
            own = found.of_room[room.identity] = read_tagged(text)
            if own.stray_words:
                reading.repaired[_STRAY] += own.stray_words
            found.say("matched", "by its name", names[0], **of, debate_id=debate_id)
        elif names:
            reason = f"{len(names)} transcripts have the name of this room"
            found.problems[room.identity] = reason
            for name in names:
                found.say(
                    "ambiguous", reason, name, **of, debate_id=debate_id, candidates=tuple(names)
                )
        else:
            found.say("missing", "no transcript has the name of this room", None, **of)
    return found


def _by_name(rooms: Iterable[Room]) -> Mapping[str, list[str]]:
    """Return which rooms each name may mean."""
    known: dict[str, list[str]] = defaultdict(list)
    for room in rooms:
        for key in {title_key(name) for name in (room.identity, *room.names)}:
            known[key].append(room.identity)
    return known
