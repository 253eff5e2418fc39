"""Loading the journals of model runs: each request's last answer, parsed here, in one transaction.

A journal that is the same as when it was last loaded is skipped. A damaged line goes to quarantine
and the rest of its journal is loaded: what it held is asked again by the next start of the run. So
does what is about a debate, question, topic or transcript that is not there; it is loaded once
that is.
"""

import json
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import duckdb

from inference.journal import FILE_NAME
from inference.kinds import raw_tables
from inference.kinds.parts import About, Row, Table
from inference.kinds.speeches import WRITTEN
from inference.parsing import PARSER_VERSION
from ingestion.answers.batches import batch_of
from ingestion.answers.lines import JournalContent, judge_of, read_journal_file
from ingestion.answers.staging import Staged, StagedTables
from ingestion.batch import Counts, Reject, SourceFile
from ingestion.errors import explained_when_full
from ingestion.items import renew_items
from ingestion.judge_tables import add_missing_judges
from ingestion.questions.comparisons import failed_comparisons
from ingestion.raw_tables import LoadReport, record_load, upsert
from ingestion.speeches.written import settle_topics, update_items
from ingestion.times import utc_time
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.schema import one_transaction, utc_now
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer

SOURCE = "journals"
# The rows of this many bytes of a journal are held before they are staged.
BLOCK_BYTES = 1 << 18


class _Hooks(NamedTuple):
    """What loading rows of a table takes besides.

    Attributes:
        settled: Done to the rows before what they are about is looked up.
        failed: Makes rows and rejects of requests that brought none.
        finished: Done to the rows before they are written.
        items: The table of items that come of the rows, and what renews it.
    """

    settled: Callable[[duckdb.DuckDBPyConnection, str], None] | None = None
    failed: Callable[..., tuple[list[dict[str, Any]], list[Reject]]] | None = None
    finished: Callable[[Staged], None] | None = None
    items: tuple[str, Callable[..., Counts]] | None = None


_HOOKS: Mapping[str, _Hooks] = {
    "answers": _Hooks(finished=Staged.set_answer_hashes),
    "likelihoods": _Hooks(failed=failed_comparisons),
    WRITTEN: _Hooks(settle_topics, items=("speeches", update_items)),
}


# Of a journal that no load has seen.
_NEVER = ("", False)


class _TooEarly(Exception):
    """A journal is about what another of the same load may bring."""


def load_journals(
    home: Home,
    run_ids: Collection[str] | None = None,
    *,
    again: bool = False,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load the journals of runs: into `raw.runs`, and into the table each answer belongs to.

    The items files of answers to questions, of debates about stories and of speeches that models
    wrote are renewed, so that evaluators and judges find them.

    Args:
        run_ids: Only these runs; all when not given.
        again: Whether to load also what has not changed since, for replies to be read again.

    Raises:
        NoSpace: The disk is full.
    """
    started = monotonic()
    paths = [path for path in _journals(home) if run_ids is None or path.parent.name in run_ids]
    tables: dict[str, Counts] = {}
    rejects: list[Reject] = []
    load_id, skipped = None, 0
    with (
        explained_when_full("loading journals", home.build_db),
        open_writer(home, "load journals", notify=notify) as connection,
    ):
        loaded = _loaded(connection)
        waiting = deque((path, True) for path in paths)
        while waiting:
            path, may_wait = waiting.popleft()
            label = path.relative_to(home.root).as_posix()
            # Before reading: a line appended meanwhile makes the next load read it again.
            sha256 = sha256_file(path)
            if not again and not _is_new(connection, loaded.get(label, _NEVER), sha256, label):
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
        renew_items(connection, home)
    notes = [f"{len(paths) - skipped} journals read, {skipped} unchanged since they were loaded"]
    return LoadReport(SOURCE, load_id, tables, rejects, notes, monotonic() - started)


def are_loaded(home: Home) -> bool:
    """Whether `load_journals` would load nothing; the items files are renewed then, as it does."""
    with open_writer(home, "load journals") as connection:
        loaded = _loaded(connection)
        for path in _journals(home):
            label = path.relative_to(home.root).as_posix()
            if _is_new(connection, loaded.get(label, _NEVER), sha256_file(path), label):
                return False
        renew_items(connection, home)
    return True


def _journals(home: Home) -> list[Path]:
    return sorted(home.journal.glob(f"*/{FILE_NAME}"))


def _loaded(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, bool]]:
    """Return the hash each journal was last loaded with, and whether rows of it were refused."""
    rows = connection.execute(
        "select file, arg_max(sha256, load_id), file in (select file from raw.quarantine) "
        "from raw.loads where kind = 'journal' group by file"
    ).fetchall()
    return {label: (sha256, has_quarantined) for label, sha256, has_quarantined in rows}


def _is_new(
    connection: duckdb.DuckDBPyConnection, loaded: tuple[str, bool], sha256: str, label: str
) -> bool:
    """Say whether a journal is to be read: other lines, or rows that may be taken by now."""
    known, has_quarantined = loaded
    return sha256 != known or (has_quarantined and _newly_known(connection, label))


def _newly_known(connection: duckdb.DuckDBPyConnection, label: str) -> bool:
    """Say whether something that rows of a journal were quarantined for is there now."""
    rules = [(name, about) for name, each in raw_tables().items() for about in each.about]
    for key, known in {(about.key, about.known) for _, about in rules}:
        # Every name in this statement is a constant of a kind's.
        loaded = " union all ".join(
            f"select {key}, _source_file from raw.{name}"
            for name, about in rules
            if (about.key, about.known) == (key, known)
        )
        row = connection.execute(
            "select count(*) from raw.quarantine as quarantined "
            f"semi join {known} as known on quarantined.original = known.{key} "
            f"anti join ({loaded}) as loaded on quarantined.original = loaded.{key} "
            "and loaded._source_file = quarantined.file "
            "where file = ? and field = ?",
            [label, key],
        ).fetchone()
        if row and row[0]:
            return True
    return False


class _Staging:
    """The rows of one journal on their way into raw, in a table beside each raw table they go to.

    Most journals have rows of one table, and there are twenty.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._tables = raw_tables()
        self._owners: dict[str, list[str]] = {}
        for table in self._tables.values():
            for part in table.parts:
                self._owners.setdefault(part, []).append(table.name)
        self._staged = StagedTables(connection)
        # Of each table the last failure of each request that may have brought none of its rows.
        self._failed: dict[str, dict[str, Row]] = {}

    def read(self, path: Path, label: str, content: JournalContent) -> None:
        """Stage the rows of a journal, a block of lines at a time."""
        rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        begin = 0
        with closing(read_journal_file(path, label, content)) as answers:
            for answer in answers:
                if content.place - begin >= BLOCK_BYTES:
                    self._stage(rows)
                    begin = content.place
                for row in answer.rows:
                    if row.failure is not None:
                        failed = self._failed.setdefault(answer.table, {})
                        failed[row.row["request_id"]] = row
                        continue
                    rows[answer.table].append(row.row)
                    for part, part_rows in row.parts.items():
                        rows[part] += part_rows
        self._stage(rows)

    def _stage(self, rows: dict[str, list[dict[str, Any]]]) -> None:
        """Move rows into the staged tables."""
        for table, made in rows.items():
            if made:
                self._staged[table].take(batch_of(table, made))
        rows.clear()

    def check(self, table: Table, label: str, content: JournalContent) -> bool:
        """Quarantine what a table has of things that are not there; say if they may yet come."""
        failed = self._failed.get(table.name, {})
        if not failed and table.name not in self._staged:
            return False
        hooks, staged = _HOOKS.get(table.name, _Hooks()), self._staged[table.name]
        if failed and hooks.failed is not None:
            paired = staged.requests()
            unpaired = [each for key, each in failed.items() if key not in paired]
            rows, rejects = hooks.failed(self._connection, unpaired, label)
            staged.add(rows)
            content.rejects += rejects
        if hooks.settled is not None:
            hooks.settled(self._connection, staged.name)
        may_come = False
        for about in table.about:
            rejects = self._unknown(about, staged, label)
            content.rejects += rejects
            may_come |= about.may_come and bool(rejects)
        return may_come

    def _unknown(self, about: About, staged: Staged, label: str) -> list[Reject]:
        """Take out rows about what is not there."""
        rows = self._connection.execute(
            f"select line_number, {about.key} from {staged.name} "
            f"anti join {about.known} using ({about.key}) "
            f"where {about.key} is not null order by line_number"
        ).fetchall()
        self._connection.execute(
            # A row about none stays: null is "not in" a table without rows.
            f"delete from {staged.name} "
            f"where {about.key} is not null "
            f"and {about.key} not in (select {about.key} from {about.known})"
        )
        reason = f"is {about.words} that is not there; {about.advice}"
        return [
            Reject(label, f"line {number}", about.key, reason, identity)
            for number, identity in rows
        ]

    def finish(self, shared: Mapping[str, str]) -> None:
        """Keep the last answer of each request, and say whose run it is.

        Args:
            shared: What all rows have of their run.
        """
        for name in self._tables.keys() & self._staged.keys():
            table, rows = self._tables[name], self._staged[name]
            if table.adds_up:
                rows.add_up_usage()
            rows.keep_last_answer()
            rows.set_all(shared)
            if (finished := _HOOKS.get(name, _Hooks()).finished) is not None:
                finished(rows)
        for name in self._owners.keys() & self._staged.keys():
            owners = self._staged.keys() & set(self._owners[name])
            self._staged[name].keep_lines_of(*(self._staged[owner] for owner in owners))
            self._staged[name].set_all({"run_id": shared["run_id"]})

    def replace(self, run_id: str, label: str, now: datetime) -> dict[str, Counts]:
        """Put the rows in the place of what the run had, also where it has none of a table now."""
        names = (*self._tables, *self._owners)
        self._staged.ask_for_those_of([run_id], names)
        return {
            name: self._staged[name].replace([run_id], label, now)
            for name in names
            if name in self._staged
        }

    def drop(self) -> None:
        """Let go of the rows."""
        for rows in self._staged.values():
            rows.drop()


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
    tables, rows_of = raw_tables(), _Staging(connection)
    rows_of.read(path, label, content)
    for table in tables.values():
        if rows_of.check(table, label, content) and may_wait:
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
        rows_of.finish(shared)
        counts["runs"] = upsert(connection, "runs", [run], source_file=label, now=now)
        changes = rows_of.replace(header["run_id"], label, now)
        counts |= {name: each for name, each in changes.items() if each != Counts()}
        counts.setdefault("scores", Counts())
        for name, hooks in _HOOKS.items():
            if hooks.items is not None and name in counts:
                item_table, renew = hooks.items
                counts[item_table] = renew(connection, now, label)
        counts["judges"] = add_missing_judges(
            connection, [judge_of(header)], source_file=label, now=now
        )
    rows_of.drop()
    load_id = record_load(connection, "journal", SOURCE, [file], counts, content.rejects, now)
    return counts, load_id
