"""Reading every stored reply again with the present parser: nobody is asked, nothing is paid.

The raw text, the way it was asked for and the judge's finish reason are in raw, so that a better
parser needs no journal and no import file. What a file supplied stays, and so does what its own
program could not read. All of it is one transaction: a reparse cut short has changed nothing.
Before it, a kind of item that this module does not know is loaded again from its journals, each in
a transaction of its own, and a journal cut short is loaded by the next reparse.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from inference.debates.verdicts import read_reply
from inference.kinds import raw_tables
from inference.kinds.answers import Answers
from inference.kinds.oversight import judged
from inference.kinds.parts import IMPORTED
from inference.kinds.speeches import READ, WRITTEN, read_written
from inference.kinds.transcripts import TRANSCRIPTS
from inference.parsing import (
    PARSER_VERSION,
    ParsedLabel,
    parse_score_released,
    read_score,
    read_verdict,
    read_winner,
)
from ingestion.batch import Counts
from ingestion.errors import explained_when_full
from ingestion.items import renew_items
from ingestion.journals import load_journals
from ingestion.parliamentary.reparse import reread_rulings, write_rulings
from ingestion.raw_tables import change_rows, record_load
from ingestion.speeches.written import update_items
from warehouse.home import Home
from warehouse.schema import one_transaction, raw_load_id, utc_now
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer

KIND = "reparse"
_ROWS_AT_ONCE = 5_000
# What an import says of a reply in a form that only the program which wrote the file reads.
_NOT_OURS = "unread_at_source"
_READ = f"request_status = 'answered' and parse_status in ('parsed', 'unparsed') \
and parse_reason is distinct from '{_NOT_OURS}'"


class Change(NamedTuple):
    """Answers that are read differently in the same way.

    Attributes:
        judge_id: Who gave them.
        template: To which prompt.
        before: What they were read as.
        after: What they are read as now.
        answers: How many.
    """

    judge_id: str
    template: str
    before: str
    after: str
    answers: int


@dataclass(frozen=True)
class ReparseReport:
    """What reading again brought.

    Attributes:
        load_id: Its row in `raw.loads`; None when nothing changed or nothing was to be written.
        read: Replies read.
        skipped: Replies whose scale is not known or not of whole numbers; they stay as they are.
        changes: What is read differently, most first.
        reloaded: Rows of other kinds that were changed by reading their journals again.
        runs: Runs that an older parser had read.
        newest_load: The newest load there is.
        newest_other_load: The newest that is no reparse.
        seconds: Wall time, waiting for another writer included.
    """

    load_id: int | None
    read: int
    skipped: int
    changes: Sequence[Change]
    reloaded: int
    runs: int
    newest_load: int
    newest_other_load: int
    seconds: float

    @property
    def changed(self) -> int:
        """Answers that are read differently."""
        return sum(change.answers for change in self.changes)


def reparse(
    home: Home, *, is_dry: bool = False, notify: Callable[[str], None] = say_nothing
) -> ReparseReport:
    """Read every stored reply again, and update the answers that are read differently now.

    Args:
        is_dry: Only say what would change.

    Raises:
        NoSpace: The disk is full; all is as it was.
    """
    started = monotonic()
    reloaded = 0 if is_dry else _reload_others(home, notify)
    with (
        explained_when_full("reading replies again", home.build_db),
        open_writer(home, "reparse", notify=notify) as connection,
    ):
        reading = _Reading(connection, keep=not is_dry)
        load_id = None
        with one_transaction(connection):
            for table in _TABLES:
                reading.read(table)
            reading.count += reread_rulings(connection, reading.changes, keep=not is_dry)
            runs = _older_runs(connection)
            if not is_dry:
                load_id = _write(connection, reading, runs)
        if not is_dry:
            renew_items(connection, home, ["written_speeches"])
        changes = [Change(*key, count) for key, count in reading.changes.most_common()]
        newest, other = _newest_loads(connection)
    return ReparseReport(
        load_id,
        reading.count,
        reading.skipped,
        changes,
        reloaded,
        runs,
        newest,
        other,
        monotonic() - started,
    )


def _reload_others(home: Home, notify: Callable[[str], None]) -> int:
    """Load the journals of kinds that are not read from raw again; return how many rows changed."""
    others = raw_tables().keys() - _TABLES.keys() - _NOT_READ
    with open_writer(home, "reparse", notify=notify) as connection:
        rows = connection.execute(
            # Every name in this statement is a constant of a kind's.
            " union ".join(
                [
                    f"select run_id from raw.scores where not {_IS_OURS}",
                    *(f"select run_id from raw.{table}" for table in sorted(others)),
                ]
            )
        ).fetchall()
    run_ids = [run_id for (run_id,) in rows]
    if not run_ids:
        return 0
    report = load_journals(home, run_ids, again=True, notify=notify)
    counts = [count for table, count in report.tables.items() if table not in ("runs", "judges")]
    return sum(count.updated for count in counts)


class _Reading:
    """Replies read again, with those that are read differently in a table beside raw.

    Args:
        keep: Whether to keep what changed, for it to be written.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, keep: bool) -> None:
        self._connection = connection
        self._keep = keep
        self.count = 0
        self.skipped = 0
        self.changes: Counter[tuple[str, str, str, str]] = Counter()

    def read(self, table: str) -> None:
        """Read the replies of a table, a part of them at a time."""
        how = _TABLES[table]
        # What is read differently, in the columns of the table itself.
        columns = ", ".join(("run_id", "request_id", *how.sets))
        self._connection.execute(
            f"create or replace temp table reread_{table} as "
            f"select {columns} from raw.{table} limit 0"
        )
        schema = self._connection.execute(f"from reread_{table}").to_arrow_table().schema
        for rows in _batches(self._connection, how.sql(table)):
            changed = []
            for row in rows:
                found = how.read_row(row)
                self.count += 1
                if found is None:
                    self.skipped += 1
                elif any(row[name] != value for name, value in found.items()):
                    changed.append({**row, **found})
                    before, after = _as_words(row, row | found)
                    self.changes[row["judge_id"], row["template"], before, after] += 1
            if changed and self._keep:
                self._connection.register("chunk", pa.Table.from_pylist(changed, schema))
                self._connection.execute(f"insert into reread_{table} from chunk")


def _batches(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[list[dict[str, Any]]]:
    # A second connection: the first one writes between two parts of the result.
    with connection.cursor() as cursor:
        for batch in cursor.execute(sql).to_arrow_reader(_ROWS_AT_ONCE):
            yield batch.to_pylist()


def _read_score(row: dict[str, Any]) -> dict[str, Any] | None:
    low, high = row["scale_min"], row["scale_max"]
    if low is None or not (float(low).is_integer() and float(high).is_integer()):
        return None
    is_of_answer = row["item_kind"] == Answers.line
    value, status, reason = read_score(
        row["response"],
        int(low),
        int(high),
        row["answer_format"],
        row["finish_reason"],
        is_bare=is_of_answer,
    )
    found = {"value": value, "parse_status": status, "parse_reason": reason}
    if is_of_answer:
        # The released rule for answers reads the prompt too, which only the run had.
        return found
    released = parse_score_released(row["response"] or "")
    return found | {"value_released": None if released is None else float(released)}


def _read_verdict(row: dict[str, Any]) -> dict[str, Any]:
    found: ParsedLabel
    if row["wording"] != IMPORTED:
        found = read_reply(
            row["response"],
            row["pro_label"],
            row["con_label"],
            row["outcome"],
            is_justified=row["reasoning"],
            answer_format=row["answer_format"],
            finish_reason=row["finish_reason"],
        )
    elif row["named"] is not None:
        found = read_winner(json.loads(row["named"]))
    else:
        found = read_verdict(
            row["response"],
            row["pro_label"],
            row["con_label"],
            row["outcome"],
            row["finish_reason"],
        )
    return {"winner": found.label, "parse_status": found.status, "parse_reason": found.reason}


class _Table(NamedTuple):
    """How the replies of a table are read.

    Attributes:
        read_row: Reads one; None where it cannot be said how.
        sets: The columns that it gives.
        needs: What it needs besides what all have.
        joined: Where some of that is.
        ours: Which of its replies are of a kind that is known here.
    """

    read_row: Callable[[dict[str, Any]], dict[str, Any] | None]
    sets: tuple[str, ...]
    needs: str
    joined: str = ""
    ours: str = "true"

    def sql(self, name: str) -> str:
        """Return the query of the replies."""
        return (
            "select run_id, request_id, judge_id, template, response, finish_reason, "
            f"{self.needs}, {', '.join(self.sets)} from raw.{name} {self.joined} where {_READ} "
            f"and {self.ours}"
        )


# Of scores: those of speeches and of answers.
_IS_OURS = f"coalesce(item_kind, '{Answers.line}') = '{Answers.line}'"
# What nobody reads a figure from, and rulings, which are read by their own subject.
_NOT_READ = {"answers", "likelihoods", "adjudications", TRANSCRIPTS}
_TABLES = {
    "scores": _Table(
        _read_score,
        ("value", "value_released", "parse_status", "parse_reason"),
        "answer_format, item_kind, "
        "coalesce(scale_min, json_extract(extra, '$.scale_min')::double) as scale_min, "
        "coalesce(scale_max, json_extract(extra, '$.scale_max')::double) as scale_max",
        "left join raw.dimensions using (dataset_id, dimension)",
        _IS_OURS,
    ),
    # A winner that could not be read is kept there by imports which have a field for it.
    "verdicts": _Table(
        _read_verdict,
        ("winner", "parse_status", "parse_reason"),
        "pro_label, con_label, outcome, reasoning, answer_format, wording, "
        "json_extract(extra, '$.winner') as named",
    ),
    "pressed_verdicts": _Table(
        _read_verdict,
        ("winner", "parse_status", "parse_reason"),
        "pro_label, con_label, outcome, reasoning, answer_format, wording, null as named",
    ),
    "oversight_judgements": _Table(
        lambda row: judged(row, json.loads(row["extra"] or "{}")),
        ("p_answer_0", "choice", "parse_status", "parse_reason"),
        "answer_format, asked_for, answer_order, extra",
    ),
    WRITTEN: _Table(read_written, READ, "word_limit"),
}


def _as_words(before: dict[str, Any], after: dict[str, Any]) -> tuple[str, str]:
    """Return how an answer was and is read; what only the released program reads, as its own."""
    first, second = _said(before), _said(after)
    if first != second:
        return first, second
    if "speech" in before:
        return first, f"another speech: {second}"
    released = (before.get("value_released"), after.get("value_released"))
    old, new = ("nothing" if value is None else f"{value:g}" for value in released)
    return f"{old} by the released program", f"{new} by the released program"


def _said(row: dict[str, Any]) -> str:
    if row["parse_status"] != "parsed":
        return f"unparsed: {row['parse_reason']}"
    if "answer_order" in row:
        p, choice = row["p_answer_0"], row["choice"]
        return f"answer {choice}" if p is None else f"{p:g} for answer 0"
    if "speech" in row:
        return f"{row['word_count']} words"
    value = row.get("value")
    return str(row.get("winner")) if value is None else f"{value:g}"


def _older_runs(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.execute(
        "select count(*) from raw.runs where parser_version is distinct from ?",
        [str(PARSER_VERSION)],
    ).fetchone()
    return int(row[0]) if row else 0


def _write(connection: duckdb.DuckDBPyConnection, reading: _Reading, runs: int) -> int | None:
    updated = 0
    for table, how in _TABLES.items():
        # When it was loaded stays: of two answers given at the same time the later load counts.
        updated += change_rows(
            connection,
            table,
            {name: f"reread.{name}" for name in how.sets},
            f"inner join reread_{table} as reread using (run_id, request_id)",
        )
        connection.execute(f"drop table reread_{table}")
    updated += write_rulings(connection)
    update_items(connection, utc_now(), KIND)
    connection.execute(
        "update raw.runs set parser_version = ? where parser_version is distinct from ?",
        [str(PARSER_VERSION)] * 2,
    )
    read_again = {KIND: Counts(0, updated + runs, reading.count - updated)}
    return record_load(connection, KIND, KIND, (), read_again, (), utc_now())


def _newest_loads(connection: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    row = connection.execute(
        "select coalesce(max(load_id), 0) from raw.loads where kind != ?", [KIND]
    ).fetchone()
    return raw_load_id(connection), int(row[0]) if row else 0
