"""Loading transcripts and what people decided about them: only verified ones become debates."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa

from inference.parliamentary.transcription.records import CORRECTED
from inference.steps.files import step_path
from ingestion.batch import SourceFile
from ingestion.errors import SourceUnreadable, UnknownSource, explained_when_full
from ingestion.landing import land
from ingestion.load import load_dataset
from ingestion.parliamentary.load import load_parliamentary_tables
from ingestion.parliamentary.sources.bp_transcripts import read_tagged, transcript_text
from ingestion.parliamentary.sources.verified_transcripts import batch_of, dataset_named, debate_id
from ingestion.parliamentary.transcripts.folder import (
    INCOMPLETE,
    VERIFICATION,
    VERIFIED,
    TranscriptState,
    machine_text,
    read_transcript,
    store_verification,
    transcript_folder,
)
from ingestion.parliamentary.transcripts.verifications import (
    KIND,
    REJECT,
    VERIFY,
    read_verification,
)
from ingestion.raw_tables import (
    Counts,
    LoadReport,
    one_transaction,
    record_load,
    rows_changed,
    say_nothing,
    upsert,
)
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

_TABLE, _SEGMENTS = "transcripts", "transcript_segments"


def refuse_verified(home: Home, transcript_id: str) -> None:
    """Refuse to make anew a transcript that a person stands by.

    Raises:
        SourceUnreadable: Somebody has verified it.
    """
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

    Args:
        home: The home.
        transcript_id: Which transcript.
        by: Who decides.
        is_rejected: Whether it is not to be used.
        text: The eight speeches as they should be, tagged; as they stand when not given.

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
        tagged = read_tagged(transcript_text(text.expanduser().read_bytes(), str(text)))
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
    home: Home,
    path: Path,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Put a person's decision into force and load the transcript as it stands then.

    Args:
        home: The home.
        path: The file with the decision.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        SourceUnreadable: It is no decision, or about no transcript, or a later one is in force.
        UnknownSource: The transcript's data set is one from elsewhere.
        NoSpace: The disk is full.
    """
    landed = land(
        home, path, source=_TABLE, licence="the verifier's own", origin=str(path.resolve())
    )
    found = read_verification(landed.path.read_bytes(), landed.shown)
    store_verification(home, found)
    return load_transcript(
        home, found.transcript_id, landed.source_file(1), wait_s=wait_s, notify=notify
    )


def load_transcript(
    home: Home,
    transcript_id: str,
    file: SourceFile | None = None,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load a transcript as its folder has it; verified, it becomes a debate.

    A debate whose transcript is not verified any more loses its speeches and is not judged. A load
    that changes nothing leaves no trace.

    Args:
        home: The home.
        transcript_id: Which transcript.
        file: Where what is new comes from; its last step when not given.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        SourceUnreadable: There is no such transcript, or its steps are not done.
        UnknownSource: Its data set is one from elsewhere.
        NoSpace: The disk is full.
    """
    started = time.monotonic()
    state = read_transcript(home, transcript_id)
    dataset = dataset_named(state.about["dataset"])
    file = file or _last_step(home, transcript_id)
    notes = [f"{transcript_id}: {state.row['status']}"]
    with (
        explained_when_full(f"loading {transcript_id}", home.build_db),
        open_writer(home, f"transcript {transcript_id}", wait_s=wait_s, notify=notify) as writer,
    ):
        _refuse_foreign(writer, dataset.dataset_id)
        if state.row["status"] == VERIFIED or _is_debate(writer, debate_id(state)):
            batch = batch_of(dataset, [state], file)
            return load_dataset(
                home,
                writer,
                dataset.dataset_id,
                lambda now: {
                    **_load_tables(writer, state, file.label, now),
                    **load_parliamentary_tables(writer, batch, now),
                },
                files=[file],
                rejects=[],
                notes=notes,
                started=started,
            )
        now = utc_now()
        with one_transaction(writer):
            tables = _load_tables(writer, state, file.label, now)
            counts = sum(tables.values(), Counts())
            load_id = record_load(
                writer,
                kind="dataset",
                source=dataset.dataset_id,
                files=[file],
                counts=counts,
                rejects=[],
                now=now,
            )
    seconds = time.monotonic() - started
    return LoadReport(dataset.dataset_id, load_id, tables, 0, [], notes, seconds)


def _load_tables(
    connection: duckdb.DuckDBPyConnection, state: TranscriptState, label: str, now: datetime
) -> dict[str, Counts]:
    tables = {}
    for table, keys, rows in (
        (_TABLE, ["transcript_id"], [state.row]),
        (_SEGMENTS, ["transcript_id", "position"], state.segments),
    ):
        kinds = connection.execute(f"from raw.{table} limit 0").to_arrow_table().schema
        schema = pa.schema([kinds.field(name).with_nullable(True) for name in rows[0]])
        arrived = pa.Table.from_pylist([dict(row) for row in rows], schema)
        tables[table] = upsert(connection, table, keys, arrived, source_file=label, now=now)
    gone = rows_changed(
        connection,
        "delete from raw.transcript_segments "
        "where transcript_id = ? and not list_contains(?, position)",
        state.transcript_id,
        [row["position"] for row in state.segments],
    )
    tables[_SEGMENTS] += Counts(updated=gone)
    return tables


def _last_step(home: Home, transcript_id: str) -> SourceFile:
    path = step_path(transcript_folder(home, transcript_id), CORRECTED)
    label = str(path.relative_to(home.root))
    return SourceFile(str(path), label, sha256_file(path), 1)


def _is_debate(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    found = connection.execute("select 1 from raw.debates where debate_id = ?", [name]).fetchone()
    return found is not None


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
