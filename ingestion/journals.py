"""Loading the journals of model runs: each request's last answer, parsed here, in one transaction.

A journal that is the same as when it was last loaded is skipped. A damaged line goes to quarantine
and the rest of its journal is loaded: what it held is asked again by the next start of the run. So
does a verdict on a debate that is not there; it is loaded once the debate is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from time import monotonic

import duckdb

from inference.journal import FILE_NAME
from inference.parsing import PARSER_VERSION
from ingestion.batch import Reject, SourceFile
from ingestion.errors import explained_when_full
from ingestion.journal_files import JournalContent, judge_of, read_journal_file
from ingestion.judge_tables import add_missing_judges
from ingestion.raw_tables import Counts, LoadReport, one_transaction, record_load, say_nothing
from ingestion.run_tables import write_runs
from ingestion.staging import Staged, in_chunks
from ingestion.times import utc_time
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.schema import utc_now
from warehouse.writer import WAIT_S, open_writer

SOURCE = "journals"
# The field of a quarantined verdict on an unknown debate.
_DEBATE = "debate_id"


def load_journals(
    home: Home,
    run_ids: Collection[str] | None = None,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load the journals of runs into `raw.runs`, `raw.scores` and `raw.verdicts`.

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
        for path in paths:
            label = path.relative_to(home.root).as_posix()
            # Before reading: a line appended meanwhile makes the next load read it again.
            sha256 = sha256_file(path)
            if sha256 == _loaded_sha256(connection, label):
                skipped += 1
                continue
            content = JournalContent()
            with one_transaction(connection):
                counts, new_id = _load(connection, content, path, label, sha256)
            load_id = new_id or load_id
            rejects += content.rejects
            for table, count in counts.items():
                tables[table] = tables.get(table, Counts()) + count
    notes = [f"{len(paths) - skipped} journals read, {skipped} unchanged since they were loaded"]
    return LoadReport(SOURCE, load_id, tables, len(rejects), rejects, notes, monotonic() - started)


def _loaded_sha256(connection: duckdb.DuckDBPyConnection, label: str) -> str | None:
    """Return the hash a journal was last loaded with; None where it is to be read anyhow."""
    row = connection.execute(
        "select sha256 from raw.loads where kind = 'journal' and file = ? "
        "order by load_id desc limit 1",
        [label],
    ).fetchone()
    newly_known = connection.execute(
        "select count(*) from raw.quarantine as quarantined "
        "semi join raw.debates as debates on quarantined.original = debates.debate_id "
        "anti join raw.verdicts as verdicts on quarantined.original = verdicts.debate_id "
        "and verdicts._source_file = quarantined.file "
        "where file = ? and field = ?",
        [label, _DEBATE],
    ).fetchone()
    return row[0] if row and newly_known == (0,) else None


def _reject_unknown_debates(
    connection: duckdb.DuckDBPyConnection, verdicts: Staged, content: JournalContent, label: str
) -> None:
    """Quarantine the verdicts on debates that are not there."""
    rows = connection.execute(
        f"select place, debate_id from {verdicts.name} "  # noqa: S608
        "anti join raw.debates using (debate_id) order by place"
    ).fetchall()
    content.rejects += [
        Reject(
            label, f"line {place}", _DEBATE,
            "is a verdict on a debate that is not there; ingest its data set, then load again",
            debate_id,
        )
        for place, debate_id in rows
    ]  # fmt: skip
    connection.execute(
        f"delete from {verdicts.name} where debate_id not in (select debate_id from raw.debates)"  # noqa: S608
    )


def _load(
    connection: duckdb.DuckDBPyConnection,
    content: JournalContent,
    path: Path,
    label: str,
    sha256: str,
) -> tuple[dict[str, Counts], int | None]:
    now = utc_now()
    counts: dict[str, Counts] = {}
    staged = {table: Staged(connection, table) for table in ("scores", "verdicts")}
    probabilities = Staged(connection, "label_probabilities")
    for chunk in in_chunks(read_journal_file(path, label, content)):
        for table, rows in staged.items():
            rows.add([answer.row for answer in chunk if answer.table == table])
        probabilities.add([row for answer in chunk for row in answer.probabilities])
    _reject_unknown_debates(connection, staged["verdicts"], content, label)
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
        for rows in staged.values():
            rows.keep_last_answer()
            rows.set_all(shared)
        probabilities.keep_places_of(*staged.values())
        probabilities.set_all({"run_id": header["run_id"]})
        counts["runs"] = write_runs(connection, [run], source_file=label, now=now)
        for table, rows in staged.items():
            changed = rows.replace([header["run_id"]], label, now)
            if changed != Counts() or table == "scores":
                counts[table] = changed
        changed = probabilities.replace([header["run_id"]], label, now)
        if changed != Counts():
            counts["label_probabilities"] = changed
        counts["judges"] = add_missing_judges(
            connection, [judge_of(header)], source_file=label, now=now
        )
    for rows in (*staged.values(), probabilities):
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
