"""Loading the journals of model runs: the last answer of each request, in one transaction a run.

A journal that has not changed since it was last loaded is skipped. A damaged line goes to
quarantine and the rest of its journal is loaded: the next start of the run asks for its answer
again. An answer about a debate, question, topic or transcript that is not there goes to quarantine
too, and is loaded once that is.
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
from inference.kinds.parts import Row, Table
from inference.kinds.speeches import WRITTEN
from inference.parsing import PARSER_VERSION
from ingestion.answers.lines import JournalContent, judge_of, read_journal_file
from ingestion.answers.staging import Staged, StagedTables, batch_of
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
# Bytes of a journal whose rows are staged at once.
BLOCK_BYTES = 1 << 18


class _Hooks(NamedTuple):
    """Steps that only the rows of one table take.

    Attributes:
        settle: Changes the rows before the things that they are about are looked up.
        failed: Makes rows and rejects of requests that brought none.
        finish: Changes the rows before they are written.
        items: The table of items that come of the rows, and the function that renews it.
    """

    settle: Callable[[duckdb.DuckDBPyConnection, str], None] | None = None
    failed: Callable[..., tuple[list[dict[str, Any]], list[Reject]]] | None = None
    finish: Callable[[Staged], None] | None = None
    items: tuple[str, Callable[..., Counts]] | None = None


_HOOKS: defaultdict[str, _Hooks] = defaultdict(
    _Hooks,
    {
        "answers": _Hooks(finish=Staged.set_answer_hashes),
        "likelihoods": _Hooks(failed=failed_comparisons),
        WRITTEN: _Hooks(settle_topics, items=("speeches", update_items)),
    },
)
# Fields of a header that all rows of its run have.
_OF_RUN = ("run_id", "experiment", "judge_id", "settings_hash")


class _TooEarly(Exception):
    """A journal is about something that another journal of the same load may bring."""


def load_journals(
    home: Home,
    run_ids: Collection[str] | None = None,
    *,
    again: bool = False,
    notify: Callable[[str], None] = say_nothing,
) -> LoadReport:
    """Load the journals of runs into `raw.runs` and the table of each answer; renew item files.

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
            if not again and not _is_new(connection, loaded, sha256, label):
                skipped += 1
                continue
            try:
                with one_transaction(connection):
                    journal = _Journal(connection, path, label)
                    counts, new_id = journal.load(sha256, may_wait=may_wait)
            except _TooEarly:
                waiting.append((path, False))
                continue
            load_id = new_id or load_id
            rejects += journal.content.rejects
            for table, count in counts.items():
                tables[table] = tables.get(table, Counts()) + count
        renew_items(connection, home)
    notes = [f"{len(paths) - skipped} journals read, {skipped} unchanged since they were loaded"]
    return LoadReport(SOURCE, load_id, tables, rejects, notes, monotonic() - started)


def are_loaded(home: Home) -> bool:
    """Whether `load_journals` would load nothing; if so, the item files are renewed as it does."""
    with open_writer(home, "load journals") as connection:
        loaded = _loaded(connection)
        for path in _journals(home):
            label = path.relative_to(home.root).as_posix()
            if _is_new(connection, loaded, sha256_file(path), label):
                return False
        renew_items(connection, home)
    return True


def _journals(home: Home) -> list[Path]:
    return sorted(home.journal.glob(f"*/{FILE_NAME}"))


def _loaded(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, bool]]:
    """Return the hash each journal was last loaded with, and whether it has rows in quarantine."""
    rows = connection.execute(
        "select file, arg_max(sha256, load_id), file in (select file from raw.quarantine) "
        "from raw.loads where kind = 'journal' group by file"
    ).fetchall()
    return {label: (sha256, has_quarantined) for label, sha256, has_quarantined in rows}


def _is_new(
    connection: duckdb.DuckDBPyConnection,
    loaded: Mapping[str, tuple[str, bool]],
    sha256: str,
    label: str,
) -> bool:
    """Return whether a journal has other lines, or quarantined rows about things known by now."""
    loaded_sha256, has_quarantined = loaded.get(label, ("", False))
    if sha256 != loaded_sha256:
        return True
    if not has_quarantined:
        return False
    rules = [(name, about) for name, each in raw_tables().items() for about in each.about]
    for key, known in {(about.key, about.known) for _, about in rules}:
        # Every name in this statement is a constant of a kind's.
        rows = " union all ".join(
            f"select {key}, _source_file from raw.{name}"
            for name, about in rules
            if (about.key, about.known) == (key, known)
        )
        newly_known = connection.execute(
            "select exists (select 1 from raw.quarantine as quarantined "
            f"semi join {known} as known on quarantined.original = known.{key} "
            f"anti join ({rows}) as loaded on quarantined.original = loaded.{key} "
            "and loaded._source_file = quarantined.file "
            "where file = ? and field = ?)",
            [label, key],
        ).fetchall()[0][0]
        if newly_known:
            return True
    return False


class _Journal:
    """One journal on its way into raw: its rows, in a temporary table for each raw table."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path, label: str) -> None:
        self._connection, self._path, self._label = connection, path, label
        self._tables = raw_tables()
        self._staged = StagedTables(connection)
        # Of each table the last failure of each request that may have brought none of its rows.
        self._failed: defaultdict[str, dict[str, Row]] = defaultdict(dict)
        self.content = JournalContent()

    def load(self, sha256: str, *, may_wait: bool) -> tuple[dict[str, Counts], int | None]:
        """Load the journal; return rows by table, and the load's id if anything changed.

        Raises:
            _TooEarly: It may wait, and is about transcripts that another journal may still bring.
        """
        now, counts = utc_now(), {}
        self._read()
        for table in self._tables.values():
            if self._check(table) and may_wait:
                raise _TooEarly
        header = self.content.header
        if header is not None:
            counts = self._write(header, now)
        for staged in self._staged.values():
            staged.drop()
        file = SourceFile(self._label, self._label, sha256, self.content.lines)
        rejects = self.content.rejects
        load_id = record_load(self._connection, "journal", SOURCE, [file], counts, rejects, now)
        return counts, load_id

    def _read(self) -> None:
        """Stage the rows of the journal, a block of lines at a time."""
        content = self.content
        rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        begin = 0
        with closing(read_journal_file(self._path, self._label, content)) as answers:
            for answer in answers:
                if content.place - begin >= BLOCK_BYTES:
                    self._stage(rows)
                    begin = content.place
                if answer.rows and answer.rows[0].failure is not None:
                    failed = answer.rows[0]
                    self._failed[answer.table][failed.row["request_id"]] = failed
                else:
                    answer.add_to(rows)
        self._stage(rows)

    def _stage(self, rows: dict[str, list[dict[str, Any]]]) -> None:
        for table, of_table in rows.items():
            if of_table:
                self._staged[table].take(batch_of(table, of_table))
        rows.clear()

    def _check(self, table: Table) -> bool:
        """Quarantine rows about things that are not there; return whether they may still come."""
        failed = self._failed[table.name]
        if not failed and table.name not in self._staged:
            return False
        hooks, staged = _HOOKS[table.name], self._staged[table.name]
        if failed and hooks.failed is not None:
            paired = staged.requests()
            unpaired = [row for request_id, row in failed.items() if request_id not in paired]
            rows, rejects = hooks.failed(self._connection, unpaired, self._label)
            staged.add(rows)
            self.content.rejects += rejects
        if hooks.settle is not None:
            hooks.settle(self._connection, staged.name)
        may_come = False
        for about in table.about:
            # A row about nothing stays: its key is null.
            known = f"(select {about.key} from {about.known})"
            rows_about = self._connection.execute(
                f"delete from {staged.name} where {about.key} is not null "
                f"and {about.key} not in {known} returning line_number, {about.key}"
            ).fetchall()
            reason = f"is {about.words} that is not there; {about.advice}"
            self.content.rejects += [
                Reject(self._label, f"line {number}", about.key, reason, identity)
                for number, identity in sorted(rows_about)
            ]
            may_come |= about.may_come and bool(rows_about)
        return may_come

    def _write(self, header: Mapping[str, Any], now: datetime) -> dict[str, Counts]:
        """Replace the rows of the run in raw, its last answers alone, and renew their items."""
        shared, end = {name: header[name] for name in _OF_RUN}, self.content.end
        run = {
            **shared,
            "origin": "run",
            "settings": json.dumps(header["settings"], sort_keys=True),
            "item_file": header.get("item_file"),
            "planned": header["planned"],
            "code_version": header["code_version"],
            "parser_version": str(PARSER_VERSION),
            "started_at": self.content.started_at,
            "ended_at": utc_time(end["ended_at"]) if end else None,
            # A run without an end line was killed, or is not done yet.
            "status": end["status"] if end else "interrupted",
        }
        owners: defaultdict[str, list[Staged]] = defaultdict(list)
        for name in self._tables.keys() & self._staged.keys():
            table, staged = self._tables[name], self._staged[name]
            if table.adds_up:
                staged.add_up_usage()
            staged.keep_last_answer()
            staged.set_all(shared)
            if (finish := _HOOKS[name].finish) is not None:
                finish(staged)
            for part in table.parts.keys() & self._staged.keys():
                owners[part].append(staged)
        for part, tables in owners.items():
            self._staged[part].keep_lines_of(*tables)
            self._staged[part].set_all({"run_id": shared["run_id"]})
        label = self._label
        counts = {
            "runs": upsert(self._connection, "runs", [run], source_file=label, now=now),
            "scores": Counts(),
        }
        names = dict.fromkeys(
            (*self._tables, *(part for table in self._tables.values() for part in table.parts))
        )
        self._staged.ask_for_those_of([header["run_id"]], names)
        for name in names:
            if name in self._staged:
                changes = self._staged[name].replace([header["run_id"]], label, now)
                if changes != Counts():
                    counts[name] = changes
        for name, hooks in _HOOKS.items():
            if hooks.items is not None and name in counts:
                item_table, renew = hooks.items
                counts[item_table] = renew(self._connection, now, label)
        judges = [judge_of(header)]
        counts["judges"] = add_missing_judges(self._connection, judges, source_file=label, now=now)
        return counts
