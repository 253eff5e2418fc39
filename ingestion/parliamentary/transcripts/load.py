"""Loading transcripts and people's decisions about them: only verified ones become debates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from inference.parliamentary.transcription.records import CORRECTED
from inference.steps.files import step_path
from ingestion.batch import Loadable, Rows, SourceFile, Step
from ingestion.errors import SourceUnreadable, UnknownSource
from ingestion.landing import in_place, land
from ingestion.load import load
from ingestion.parliamentary.batch import ParliamentaryBatch
from ingestion.parliamentary.readers.verified_transcripts import batch_of, dataset_named, debate_id
from ingestion.parliamentary.tagged import read_tagged, transcript_text
from ingestion.parliamentary.transcripts.folder import (
    INCOMPLETE,
    KIND,
    REJECT,
    VERIFICATION,
    VERIFY,
    TranscriptState,
    machine_text,
    read_transcript,
    read_verification,
    store_verification,
    transcript_folder,
)
from ingestion.raw_tables import LoadReport
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.records.core import Dataset
from warehouse.waiting import say_nothing


def refuse_verified(home: Home, transcript_id: str) -> None:
    """Raise SourceUnreadable for a transcript that is verified: it is not made again."""
    if not (home.transcripts / transcript_id / VERIFICATION).is_file():
        return
    try:
        found = read_transcript(home, transcript_id)
    except SourceUnreadable:
        # A damaged step is made again; what was decided holds where it comes out the same.
        return
    if found.is_verified:
        raise SourceUnreadable(
            f"ingestion: {transcript_id} is verified by {found.row['verified_by']}, and stays as "
            f"it is; to make it anew, first: rostrum verify {transcript_id} --by NAME --reject"
        )


def decision(
    home: Home, transcript_id: str, by: str, *, is_rejected: bool = False, text: Path | None = None
) -> bytes:
    """Return the file with a person's decision about a transcript, made now.

    Without a text, tagged as eight speeches, the segments are verified as they are.

    Raises:
        SourceUnreadable: There is no such transcript, or the text is not eight tagged speeches.
    """
    state = read_transcript(home, transcript_id)
    segments = [
        {"position": row["position"], "role": row["role"], "text": machine_text(row)}
        for row in state.segments
    ]
    if not is_rejected and text is None and state.row["status"] == INCOMPLETE:
        raise SourceUnreadable(
            f"ingestion: {transcript_id} is incomplete: {state.row['reason']}; write its eight "
            "speeches into a text file, tagged <PM> to </PM>, and name that with --from"
        )
    if text is not None:
        tagged = read_tagged(transcript_text(in_place(text.expanduser()).document(), str(text)))
        if tagged.problem:
            raise SourceUnreadable(f"ingestion: {text}: {tagged.problem}; correct its tags")
        places = {row["role"]: row["position"] for row in state.segments if row["role"]}
        beyond = max(row["position"] for row in state.segments)
        segments = [
            {
                "position": places.get(each.role, beyond + place),
                "role": each.role,
                "text": each.text,
            }
            for place, each in enumerate(tagged.speeches, start=1)
        ]
    content = {
        "kind": KIND,
        "transcript_id": transcript_id,
        "decision": REJECT if is_rejected else VERIFY,
        "by": by,
        "at": datetime.now(UTC).isoformat(),
        "segments": [] if is_rejected else segments,
    }
    return json.dumps(content, ensure_ascii=False).encode()


def load_verification(
    home: Home, path: Path, *, notify: Callable[[str], None] = say_nothing
) -> LoadReport:
    """Put a person's decision into force and load the transcript.

    Raises:
        SourceUnreadable: It is no decision, or about no transcript, or a later one is in force.
        UnknownSource: The transcript's data set is one from elsewhere.
        NoSpace: The disk is full.
    """
    landed = land(home, path, source="transcripts", licence="the verifier's own")
    found = read_verification(landed.document(), landed.shown)
    store_verification(home, found)
    return load_transcript(home, found.transcript_id, landed.source_file(1), notify=notify)


def load_transcript(
    home: Home,
    transcript_id: str,
    file: SourceFile | None = None,
    *,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a transcript as its folder has it; verified, it becomes a debate.

    A debate whose transcript is not verified any more loses its speeches and is not judged. A load
    that changes nothing leaves no trace.

    Args:
        file: The file with what is new; its last step when not given.

    Raises:
        SourceUnreadable: There is no such transcript, or its steps are not done.
        UnknownSource: Its data set is one from elsewhere.
        NoSpace: The disk is full.
    """
    state = read_transcript(home, transcript_id)
    dataset = dataset_named(state.about["dataset"])
    if file is None:
        path = step_path(transcript_folder(home, transcript_id), CORRECTED)
        file = SourceFile(str(path), str(path.relative_to(home.root)), sha256_file(path), 1)
    notes = [f"{transcript_id}: {state.row['status']}"]
    batch = TranscriptBatch(dataset, state, [file], notes=notes)
    return load(home, batch, notify=notify)


@dataclass(frozen=True)
class TranscriptBatch(Loadable):
    """A transcript as its folder has it, and the debate that it makes, if any."""

    dataset: Dataset
    state: TranscriptState
    files: Sequence[SourceFile]
    debates: ParliamentaryBatch | None = None

    @property
    def task(self) -> str:
        """Name of the load for writers that wait for it."""
        return f"transcript {self.state.transcript_id}"

    @property
    def items_of(self) -> str | None:
        """The data set, where a debate of it changes."""
        return self.source if self.debates else None

    def checked(self, connection: duckdb.DuckDBPyConnection) -> TranscriptBatch:
        """Make a debate of it, where it is verified or was.

        Raises:
            UnknownSource: Its data set is one from elsewhere.
        """
        _refuse_foreign(connection, self.source)
        name = debate_id(self.state)
        known = connection.execute("select 1 from raw.debates where debate_id = ?", [name])
        if self.state.is_verified or known.fetchone():
            return replace(self, debates=batch_of(self.dataset, [self.state], self.files))
        return self

    def changes(self) -> Iterable[Rows | Step]:
        """Return the transcript with its segments, and the debate."""
        yield Rows("transcripts", [self.state.row])
        yield Rows("transcript_segments", self.state.segments, within="transcripts")
        if self.debates is not None:
            yield from self.debates.changes()


def _refuse_foreign(connection: duckdb.DuckDBPyConnection, dataset_id: str) -> None:
    """Refuse the name of a data set that has anything but transcripts in it."""
    foreign = connection.execute(
        "select 1 from raw.datasets where dataset_id = $name and ("
        "not exists (from raw.transcripts where dataset_id = $name) or exists ("
        "from raw.debates as debates where dataset_id = $name and not exists ("
        "from raw.transcripts as transcripts "
        "where debates.debate_id = transcripts.dataset_id || ':' || transcripts.transcript_id)))",
        {"name": dataset_id},
    ).fetchone()
    if foreign:
        raise UnknownSource(
            f"ingestion: '{dataset_id}' is a data set from elsewhere, and stays as it is; give the "
            "transcript another with --dataset NAME"
        )
