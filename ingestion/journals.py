"""Loading the journals of model runs: each request's last answer, parsed here, in one transaction.

A journal that is the same as when it was last loaded is skipped. A damaged line goes to quarantine
and the rest of its journal is loaded: what it held is asked again by the next start of the run. So
does what is about a debate, question, topic or transcript that is not there; it is loaded once
that is.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import duckdb

from inference.journal import FILE_NAME
from inference.parsing import PARSER_VERSION
from ingestion.batch import Reject, SourceFile
from ingestion.errors import explained_when_full
from ingestion.items import export_written
from ingestion.journal_files import JournalContent, judge_of, read_journal_file
from ingestion.judge_tables import add_missing_judges
from ingestion.oversight.journal import JUDGEMENTS, TRANSCRIPTS
from ingestion.oversight.transcript_items import export_transcripts
from ingestion.questions.items import export_answers
from ingestion.raw_tables import Counts, LoadReport, one_transaction, record_load, say_nothing
from ingestion.run_tables import write_runs
from ingestion.speeches.written import TABLE as WRITTEN
from ingestion.speeches.written import settle_topics, update_items
from ingestion.staging import Staged, in_chunks
from ingestion.times import utc_time
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

SOURCE = "journals"


class _About(NamedTuple):
    """What rows of a table must be about.

    Attributes:
        table: Whose rows.
        key: The column that names it, null where a row is about none; also the field of those
            quarantined.
        known: Where it must be.
        words: What such a row is that is about nothing there.
        advice: What brings it there.
    """

    table: str
    key: str
    known: str
    words: str
    advice: str = "ingest its data set, then load again"


_TABLES = (
    "scores", "verdicts", "answers", "likelihoods", "adjudications", "oversight_transcripts",
    "oversight_judgements", "written_speeches",
)  # fmt: skip
# Rows that hang on an answer, and whose.
_PARTS = {
    "label_probabilities": ("scores", "verdicts"),
    "answer_documents": ("answers",),
    "answer_pages": ("answers",),
    "adjudication_values": ("adjudications",),
    "adjudication_faults": ("adjudications",),
    "oversight_turns": ("oversight_transcripts",),
    "oversight_quotes": ("oversight_transcripts",),
}
# What models wrote, and what people said in rooms.
_TRANSCRIPTS_THERE = (
    "(select transcript_id from raw.oversight_transcripts union all "
    "select debate_id as transcript_id from raw.debates where format like 'story-%')"
)
_ABOUT = (
    _About("verdicts", "debate_id", "raw.debates", "a verdict on a debate"),
    _About("answers", "question_id", "raw.questions", "an answer to a question"),
    _About("adjudications", "debate_id", "raw.debates", "a ruling on a debate"),
    _About(TRANSCRIPTS, "question_id", "raw.reading_questions", "a debate of a question"),
    _About(JUDGEMENTS, "question_id", "raw.reading_questions", "a judgement of a question"),
    _About(
        JUDGEMENTS, "transcript_id", _TRANSCRIPTS_THERE, "a judgement of a transcript",
        "it is loaded once the journal of the run that wrote it is in the home",
    ),
    _About(WRITTEN, "debate_id", "raw.debates", "a speech on a topic"),
)  # fmt: skip


class _TooEarly(Exception):
    """A journal is about what another of the same load may bring."""


def load_journals(
    home: Home,
    run_ids: Collection[str] | None = None,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load the journals of runs: into `raw.runs`, and into the table each answer belongs to.

    The items files of answers to questions, of debates about stories and of speeches that models
    wrote are renewed, so that evaluators and judges find them.

    Args:
        home: The home.
        run_ids: Only these runs; all when not given.
        wait_s: Seconds to wait for another writer.
        notify: Told once when there is another writer to wait for.

    Raises:
        NoSpace: The disk is full.
    """
    started = monotonic()
    paths = [
        path
        for path in sorted(home.journal.glob(f"*/{FILE_NAME}"))
        if run_ids is None or path.parent.name in run_ids
    ]
    tables: dict[str, Counts] = {}
    rejects: list[Reject] = []
    load_id, skipped = None, 0
    with (
        explained_when_full("loading journals", home.build_db),
        open_writer(home, "load journals", wait_s=wait_s, notify=notify) as connection,
    ):
        waiting = deque((path, True) for path in paths)
        while waiting:
            path, may_wait = waiting.popleft()
            label = path.relative_to(home.root).as_posix()
            # Before reading: a line appended meanwhile makes the next load read it again.
            sha256 = sha256_file(path)
            if sha256 == _loaded_sha256(connection, label):
                skipped += 1
                continue
            content = JournalContent()
            try:
                with one_transaction(connection):
                    counts, new_id = _load(connection, content, path, label, sha256, may_wait)
            except _TooEarly:
                waiting.append((path, False))
                continue
            load_id = new_id or load_id
            rejects += content.rejects
            for table, count in counts.items():
                tables[table] = tables.get(table, Counts()) + count
        # Also where nothing is new: a load that was killed after its last journal left it undone.
        export_answers(connection, home)
        export_transcripts(connection, home)
        export_written(connection, home)
    notes = [f"{len(paths) - skipped} journals read, {skipped} unchanged since they were loaded"]
    return LoadReport(SOURCE, load_id, tables, len(rejects), rejects, notes, monotonic() - started)


def _loaded_sha256(connection: duckdb.DuckDBPyConnection, label: str) -> str | None:
    """Return the hash a journal was last loaded with; None where it is to be read anyhow."""
    row = connection.execute(
        "select sha256 from raw.loads where kind = 'journal' and file = ? "
        "order by load_id desc limit 1",
        [label],
    ).fetchone()
    return row[0] if row and not _newly_known(connection, label) else None


def _newly_known(connection: duckdb.DuckDBPyConnection, label: str) -> bool:
    """Say whether something that rows of a journal were quarantined for is there now."""
    for key, known in {(about.key, about.known) for about in _ABOUT}:
        # Every name in this statement is a constant of this module.
        loaded = " union all ".join(
            f"select {key}, _source_file from raw.{about.table}"  # noqa: S608
            for about in _ABOUT
            if (about.key, about.known) == (key, known)
        )
        row = connection.execute(
            "select count(*) from raw.quarantine as quarantined "  # noqa: S608
            f"semi join {known} as known on quarantined.original = known.{key} "
            f"anti join ({loaded}) as loaded on quarantined.original = loaded.{key} "
            "and loaded._source_file = quarantined.file "
            "where file = ? and field = ?",
            [label, key],
        ).fetchone()
        if row and row[0]:
            return True
    return False


def _reject_unknown(
    connection: duckdb.DuckDBPyConnection,
    about: _About,
    staged: Staged,
    content: JournalContent,
    label: str,
) -> None:
    """Quarantine rows about debates, questions or transcripts that are not there."""
    rows = connection.execute(
        f"select line_number, {about.key} from {staged.name} "  # noqa: S608
        f"anti join {about.known} using ({about.key}) "
        f"where {about.key} is not null order by line_number"
    ).fetchall()
    reason = f"is {about.words} that is not there; {about.advice}"
    content.rejects += [
        Reject(label, f"line {number}", about.key, reason, identity) for number, identity in rows
    ]
    connection.execute(
        # A row about none stays: null is "not in" a table without rows.
        f"delete from {staged.name} "  # noqa: S608
        f"where {about.key} is not null "
        f"and {about.key} not in (select {about.key} from {about.known})"
    )


def _load(
    connection: duckdb.DuckDBPyConnection,
    content: JournalContent,
    path: Path,
    label: str,
    sha256: str,
    may_wait: bool,
) -> tuple[dict[str, Counts], int | None]:
    """Load one journal.

    Raises:
        _TooEarly: It may wait, and judges transcripts that another journal may still bring.
    """
    now = utc_now()
    counts: dict[str, Counts] = {}
    staged = {table: Staged(connection, table) for table in _TABLES}
    parts = {table: Staged(connection, table) for table in _PARTS}
    for chunk in in_chunks(read_journal_file(path, label, content)):
        for table, rows in staged.items():
            rows.add([answer.row for answer in chunk if answer.table == table])
        for table, rows in parts.items():
            rows.add([row for answer in chunk for row in answer.parts.get(table, [])])
    failed, rejects = content.unpaired.rows(connection, label)
    staged["likelihoods"].add(failed)
    content.rejects += rejects
    settle_topics(connection, staged[WRITTEN].name)
    for about in _ABOUT:
        _reject_unknown(connection, about, staged[about.table], content, label)
    if may_wait and any(each.field == "transcript_id" for each in content.rejects):
        raise _TooEarly
    file = SourceFile(label, label, sha256, content.lines)
    header = content.header
    if header is not None:
        shared = {
            name: header[name] for name in ("run_id", "experiment", "judge_id", "settings_hash")
        }
        run = {
            **shared,
            "origin": "run",
            "settings": json.dumps(header["settings"], sort_keys=True),
            "item_file": header.get("item_file"),
            "planned": header["planned"],
            "code_version": header["code_version"],
            "parser_version": str(PARSER_VERSION),
            "started_at": content.started_at,
            "ended_at": utc_time(content.end["ended_at"]) if content.end else None,
            # No end line: killed, or still at it. Either way there may be more to come.
            "status": content.end["status"] if content.end else "interrupted",
        }
        # A debate that broke off and went on has lines that each count what no other does.
        staged[TRANSCRIPTS].add_up_usage()
        for rows in staged.values():
            rows.keep_last_answer()
            rows.set_all(shared)
        staged["answers"].set_answer_hashes()
        for table, rows in parts.items():
            rows.keep_lines_of(*(staged[owner] for owner in _PARTS[table]))
            rows.set_all({"run_id": header["run_id"]})
        counts["runs"] = write_runs(connection, [run], source_file=label, now=now)
        for table, rows in (staged | parts).items():
            changed = rows.replace([header["run_id"]], label, now)
            if changed != Counts() or table == "scores":
                counts[table] = changed
        if WRITTEN in counts:
            counts["speeches"] = update_items(connection, now, label)
        counts["judges"] = add_missing_judges(
            connection, [judge_of(header)], source_file=label, now=now
        )
    for rows in (staged | parts).values():
        rows.drop()
    load_id = record_load(
        connection,
        kind="journal",
        source=SOURCE,
        files=[file],
        counts=sum(counts.values(), Counts()),
        rejects=content.rejects,
        now=now,
    )
    return counts, load_id
