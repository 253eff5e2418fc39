"""From the rooms of a tab to what is loaded: with transcripts and motions from elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from pydantic import ValidationError

from ingestion.batch import SourceFile
from ingestion.oversight.reading import Reading
from ingestion.parliamentary.batch import ParliamentaryBatch, ParliamentaryDebate
from ingestion.parliamentary.readers.bp_files import read_small_files
from ingestion.parliamentary.readers.bp_motions import Motions, read_motions
from ingestion.parliamentary.readers.bp_rooms import Room, name_of
from ingestion.parliamentary.readers.bp_tabs import debate_of
from ingestion.parliamentary.readers.bp_transcripts import (
    TaggedTranscript,
    read_tagged,
    title_key,
    transcript_text,
)
from ingestion.parliamentary.rules import RULES
from warehouse.home import Home
from warehouse.records.core import Dataset, first_problem
from warehouse.records.parliamentary import TranscriptMatch

_STRAY = "words of transcripts outside all speeches, left out"


@dataclass
class Transcripts:
    """Transcripts matched with rooms.

    Attributes:
        files: What holds them; none where the user names no transcripts.
        of_room: The transcript of a room, by the room's identity.
        problems: Why a room that transcripts name has none, by its identity.
        matches: What became of each transcript, and of each room without one.
    """

    files: list[SourceFile] = field(default_factory=list)
    of_room: dict[str, TaggedTranscript] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    matches: list[TranscriptMatch] = field(default_factory=list)


def batch_of(
    home: Home,
    dataset: Dataset,
    rooms: Sequence[Room],
    reading: Reading,
    files: Sequence[SourceFile],
    *,
    found: Transcripts,
    motions: str | None = None,
) -> ParliamentaryBatch:
    """Return the debates of rooms.

    Args:
        home: The home.
        dataset: The data set.
        rooms: The rooms.
        reading: What was met while they were read; its count is that of the first file.
        files: Where they come from.
        found: The transcripts of the rooms.
        motions: The user's file of motions.

    Raises:
        SourceUnreadable: The file of motions is not there, or is none.
    """
    said = read_motions(home, motions, dataset)
    debates = []
    for room in rooms:
        try:
            debates.append(_debate(dataset.dataset_id, room, reading, found, said))
        except ValidationError as error:
            name, reason = first_problem(error)
            reading.reject(room.place, name, reason, room.identity)
    # Rejects go by the name the user gave, whatever the landing calls the same bytes.
    first = SourceFile(
        reading.shown, files[0].label, files[0].sha256, reading.records, reading.cells
    )
    return ParliamentaryBatch(
        dataset=dataset,
        files=[first, *files[1:], *found.files, *([said.file] if said.file else [])],
        debates=debates,
        rules=RULES,
        matches=found.matches,
        rejects=[*reading.rejects, *said.rejects],
        notes=[*reading.notes, *said.notes],
    )


def _debate(
    dataset_id: str, room: Room, reading: Reading, found: Transcripts, said: Motions
) -> ParliamentaryDebate:
    transcript = found.of_room.get(room.identity)
    speeches = (
        transcript.as_speeches(dataset_id, f"{dataset_id}:{room.identity}", dataset_id)
        if transcript
        else []
    )
    made = debate_of(
        dataset_id,
        room,
        reading,
        speeches,
        speech_problem=transcript.problem if transcript else found.problems.get(room.identity),
    )
    return replace(made, debate=said.onto(made.debate, *room.names))


def match_transcripts(
    home: Home,
    dataset: Dataset,
    rooms: Sequence[Room],
    location: str | None,
    reading: Reading,
) -> Transcripts:
    """Match transcripts with rooms by name, in any spelling, and guess nothing.

    A transcript is named by the room's id, or by round and room such as `Round 3 Room 12`, with or
    without the tournament before them.

    Args:
        home: The home.
        dataset: The data set.
        rooms: The rooms.
        location: A folder or archive of `.txt` files; None for none.
        reading: Counts words outside all speeches.

    Raises:
        SourceUnreadable: The location is not there, or a transcript is no text.
    """
    if location is None:
        return Transcripts()
    read = read_small_files(home, location, dataset, (".txt",))
    found = Transcripts([read.landed.source_file(len(read.files))])
    known = _by_name(rooms)
    claims: dict[str, list[str]] = defaultdict(list)
    for name in sorted(read.files):
        fitting = known.get(title_key(PurePosixPath(name).stem), [])
        if len(fitting) == 1:
            claims[fitting[0]].append(name)
        elif fitting:
            _say(found, dataset, "ambiguous", f"it fits {len(fitting)} rooms", name, fitting)
        else:
            _say(found, dataset, "missing", "no room of the tab has this name", name, ())
    for room in rooms:
        names = claims.get(room.identity, [])
        if len(names) == 1:
            text = transcript_text(read.files[names[0]], f"{read.landed.shown} ({names[0]})")
            own = found.of_room[room.identity] = read_tagged(text)
            if own.stray_words:
                reading.repaired[_STRAY] += own.stray_words
            _say(found, dataset, "matched", "by its name", names[0], (), room)
        elif names:
            reason = f"{len(names)} transcripts have the name of this room"
            found.problems[room.identity] = reason
            for name in names:
                _say(found, dataset, "ambiguous", reason, name, names, room)
        else:
            _say(
                found, dataset, "missing", "no transcript has the name of this room", None, (), room
            )
    return found


def _by_name(rooms: Iterable[Room]) -> Mapping[str, list[str]]:
    """Return which rooms each name may mean."""
    known: dict[str, list[str]] = defaultdict(list)
    for room in rooms:
        for key in {title_key(name) for name in (room.identity, *room.names)}:
            known[key].append(room.identity)
    return known


def _say(
    found: Transcripts,
    dataset: Dataset,
    status: str,
    reason: str,
    transcript: str | None,
    candidates: Sequence[str],
    room: Room | None = None,
) -> None:
    found.matches.append(
        TranscriptMatch(
            dataset_id=dataset.dataset_id,
            status=status,  # type: ignore[arg-type]
            reason=reason,
            # A file's name may hold anything; what a terminal shows may not.
            transcript=name_of(transcript),
            result_row=room.identity if room else None,
            debate_id=f"{dataset.dataset_id}:{room.identity}" if room and transcript else None,
            candidates=tuple(candidates),
        )
    )
