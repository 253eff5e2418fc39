"""Reading every stored reply again with the present parser: no judge is asked, nothing is paid.

What raw keeps of an answer is an answer line, which its kind reads as it reads a journal's. What a
file supplied stays, and so does what the file's own program could not read. All of it is one
transaction: a reparse cut short has changed nothing. Before it, answers of kinds that are not read
from raw are loaded again from their journals, each in a transaction of its own.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from inference.kinds import KINDS, raw_tables
from inference.kinds.answers import Answers
from inference.kinds.oversight import JUDGEMENTS
from inference.kinds.parts import ANSWERED, IMPORTED
from inference.kinds.speeches import READ, WRITTEN
from inference.kinds.transcripts import TRANSCRIPTS
from inference.parsing import PARSER_VERSION
from ingestion.answers.lines import NOT_WHOLE, rows_of_line
from ingestion.batch import Counts
from ingestion.errors import explained_when_full
from ingestion.items import renew_items
from ingestion.journals import load_journals
from ingestion.raw_tables import change_rows, record_load, remove_rows
from ingestion.speeches.written import update_items
from warehouse.home import Home
from warehouse.raw import append_rows
from warehouse.schema import one_transaction, raw_load_id, utc_now
from warehouse.waiting import say_nothing
from warehouse.writer import open_writer

KIND = "reparse"
_ROWS_AT_ONCE = 1_000
_KEY = ("run_id", "request_id")
_STATUS = ("parse_status", "parse_reason")
# Columns that are read from the replies of a table.
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "scores": ("value", "value_released", *_STATUS),
    "verdicts": ("winner", *_STATUS),
    "pressed_verdicts": ("winner", *_STATUS),
    JUDGEMENTS: ("p_answer_0", "choice", *_STATUS),
    WRITTEN: READ,
    "adjudications": _STATUS,
}
# Rows of parts that are.
_PARTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "adjudications": {
        "adjudication_values": ("task", "place", "value", "reason"),
        "adjudication_faults": ("task", "fault", "detail"),
    }
}
# Tables of which nothing is parsed.
_NOT_PARSED = {"answers", "likelihoods", TRANSCRIPTS}
# Of scores, those of speeches and of answers: another kind's reply may be several rows.
_IS_ONE_ROW = f"coalesce(item_kind, '{Answers.line}') = '{Answers.line}'"
_OLDER = "where parser_version is distinct from ?"
_ITEM_KINDS = {kind.table.name: kind.line for kind in KINDS}


class Change(NamedTuple):
    """A number of answers to one prompt that are read differently in the same way."""

    judge_id: str
    template: str
    before: str
    after: str
    answers: int


@dataclass(frozen=True)
class ReparseReport:
    """Outcome of reading again.

    Attributes:
        load_id: Its row in `raw.loads`; None when nothing was written.
        read: Replies read.
        skipped: Replies without a scale of whole numbers; they stay as they are.
        changes: Answers that are read differently, most first.
        reloaded: Rows of other kinds that changed as their journals were read again.
        runs: Runs that an older parser had read.
        newest_other_load: The newest load that is no reparse.
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
        is_dry: Only report what would change.

    Raises:
        NoSpace: The disk is full; everything is as it was.
    """
    started, parser = monotonic(), str(PARSER_VERSION)
    reloaded = 0 if is_dry else _reload_others(home, notify)
    with (
        explained_when_full("reading replies again", home.build_db),
        open_writer(home, "reparse", notify=notify) as connection,
    ):
        reading = _Reading(connection)
        load_id = None
        with one_transaction(connection):
            for table in _COLUMNS:
                reading.read(table)
            runs = _count(connection, f"select count(*) from raw.runs {_OLDER}", parser)
            if not is_dry:
                updated = sum(reading.write(table) for table in _COLUMNS)
                update_items(connection, utc_now(), KIND)
                connection.execute(f"update raw.runs set parser_version = ? {_OLDER}", [parser] * 2)
                counts = {KIND: Counts(0, updated + runs, reading.count - updated)}
                load_id = record_load(connection, KIND, KIND, (), counts, (), utc_now())
        if not is_dry:
            renew_items(connection, home, [WRITTEN])
        newest = raw_load_id(connection)
        other = _count(
            connection, "select coalesce(max(load_id), 0) from raw.loads where kind != ?", KIND
        )
    changes = [Change(*key, count) for key, count in reading.changes.most_common()]
    seconds = monotonic() - started
    return ReparseReport(
        load_id, reading.count, reading.skipped, changes, reloaded, runs, newest, other, seconds
    )


def _count(connection: duckdb.DuckDBPyConnection, sql: str, parameter: str) -> int:
    return int(connection.execute(sql, [parameter]).fetchall()[0][0])


def _reload_others(home: Home, notify: Callable[[str], None]) -> int:
    """Load the journals of kinds that are not read from raw again; return how many rows changed."""
    tables = sorted(raw_tables().keys() - _COLUMNS.keys() - _NOT_PARSED)
    with open_writer(home, "reparse", notify=notify) as connection:
        rows = connection.execute(
            # Every name in this statement is a constant of a kind's.
            " union ".join(
                [
                    f"select run_id from raw.scores where not {_IS_ONE_ROW}",
                    *(f"select run_id from raw.{table}" for table in tables),
                ]
            )
        ).fetchall()
    if not rows:
        return 0
    report = load_journals(home, [run_id for (run_id,) in rows], again=True, notify=notify)
    counts = [count for table, count in report.tables.items() if table not in ("runs", "judges")]
    return sum(count.updated for count in counts)


class _Reading:
    """Replies read again; those that are read differently wait in temporary tables."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.count = 0
        self.skipped = 0
        self.changes: Counter[tuple[str, str, str, str]] = Counter()

    def read(self, table: str) -> None:
        """Read the replies of a table."""
        schemas = {}
        for name, fields in {table: _COLUMNS[table], **_PARTS.get(table, {})}.items():
            self._connection.execute(
                f"create or replace temp table reread_{name} as "
                f"select {', '.join((*_KEY, *fields))} from raw.{name} limit 0"
            )
            schemas[name] = self._connection.execute(f"from reread_{name}").to_arrow_table().schema
        for rows in _batches(self._connection, _query(table)):
            changed: dict[str, list[dict[str, Any]]] = {name: [] for name in schemas}
            for row in rows:
                self.count += 1
                try:
                    ((columns, parts, _),) = rows_of_line(_line(table, row), 0).rows
                except NOT_WHOLE:
                    self.skipped += 1
                    continue
                after = {**row, **{name: columns.get(name) for name in _COLUMNS[table]}}
                after |= {name: parts[name] for name in _PARTS.get(table, ())}
                if _compared(table, row) == _compared(table, after):
                    continue
                self.changes[row["judge_id"], row["template"], *_as_words(row, after)] += 1
                key = {name: row[name] for name in _KEY}
                changed[table].append(after)
                for name in _PARTS.get(table, ()):
                    changed[name] += [key | part for part in after[name]]
            for name, schema in schemas.items():
                if changed[name]:
                    self._connection.register("chunk", pa.Table.from_pylist(changed[name], schema))
                    self._connection.execute(f"insert into reread_{name} from chunk")

    def write(self, table: str) -> int:
        """Write what is read differently now, and return the number of answers.

        The time of their load stays: of two answers given at one time the later load counts.
        """
        key, parts = ", ".join(_KEY), _PARTS.get(table, {})
        updated = change_rows(
            self._connection,
            table,
            {name: f"reread.{name}" for name in _COLUMNS[table]},
            f"inner join reread_{table} as reread using ({key})",
        )
        for name, columns in parts.items():
            # Every name in these statements is a constant of this module.
            remove_rows(self._connection, name, f"({key}) in (select ({key}) from reread_{table})")
            append_rows(
                self._connection,
                name,
                f"select {key}, {', '.join(f'reread.{column}' for column in columns)}, "
                f"whole._source_file, whole._loaded_at from reread_{name} as reread "
                f"inner join raw.{table} as whole using ({key})",
            )
        for name in (table, *parts):
            self._connection.execute(f"drop table reread_{name}")
        return updated


def _batches(connection: duckdb.DuckDBPyConnection, sql: str) -> Iterator[list[dict[str, Any]]]:
    # A second connection: the first one writes between two parts of the result.
    with connection.cursor() as cursor:
        for batch in cursor.execute(sql).to_arrow_reader(_ROWS_AT_ONCE):
            yield batch.to_pylist()


def _query(table: str) -> str:
    """Return the query of a table's replies that were parsed here."""
    key = ", ".join(_KEY)
    columns, joins, where = "present.*", "", "true"
    if table == "scores":
        # A reply of a speech is read on the scale of its data set.
        scale = (f"if({end} = floor({end}), {end}::integer, null) as {end}" for end in _SCALE)
        columns += f", {', '.join(scale)}"
        joins, where = "left join raw.dimensions using (dataset_id, dimension)", _IS_ONE_ROW
    for name, fields in _PARTS.get(table, {}).items():
        columns += f", {name}"
        packed = ", ".join(f"'{field}': {field}" for field in fields)
        joins += (
            f" left join (select {key}, list({{{packed}}}) as {name} from raw.{name} group by all) "
            f"using ({key})"
        )
    return (
        f"select {columns} from raw.{table} as present {joins} "
        f"where request_status = 'answered' and parse_status in ('parsed', 'partly', 'unparsed') "
        f"and parse_reason is distinct from 'unread_at_source' and {where}"
    )


_SCALE = ("scale_min", "scale_max")


def _line(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the answer line that a stored answer came from."""
    extra = json.loads(row["extra"] or "{}")
    if row["wording"] == IMPORTED:
        # The files of other programs may have anything there.
        extra = {"winner": extra.get("winner")}
    # The released program read a reply to a question with the prompt, which only the run had.
    read = set(_COLUMNS[table]) - {"value_released"}
    stored = {name: value for name, value in row.items() if name not in read}
    return {
        **stored,
        **extra,
        **{name: value for name, value in stored.items() if value is not None},
        "item_kind": row["item_kind"] if "item_kind" in row else _ITEM_KINDS[table],
        "item_id": row["debate_id"] if "debate_id" in row else row.get("item_id"),
        "status": ANSWERED,
    }


def _compared(table: str, row: Mapping[str, Any]) -> tuple[Any, ...]:
    parts = (
        {tuple(part[field] for field in fields) for part in row[name] or ()}
        for name, fields in _PARTS.get(table, {}).items()
    )
    return (*(row[name] for name in _COLUMNS[table]), *parts)


def _as_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, str]:
    """Return how an answer was and is read, also where only details differ."""
    first, second = _outcome(before), _outcome(after)
    if first != second:
        return first, second
    if "adjudication_values" in before:
        return first, f"{second}, others than before"
    if "speech" in before:
        return first, f"another speech: {second}"
    released = (before.get("value_released"), after.get("value_released"))
    old, new = ("nothing" if value is None else f"{value:g}" for value in released)
    return f"{old} by the released program", f"{new} by the released program"


def _outcome(row: Mapping[str, Any]) -> str:
    if "adjudication_values" in row:
        values, faults = row["adjudication_values"] or (), row["adjudication_faults"] or ()
        why = f" ({row['parse_reason']})" if row["parse_reason"] else ""
        count = sum(each["value"] is not None for each in values)
        return f"{row['parse_status']}{why}: {count} of {len(values)} values, {len(faults)} faults"
    if row["parse_status"] != "parsed":
        return f"unparsed: {row['parse_reason']}"
    if "answer_order" in row and "p_answer_0" in row:
        p, choice = row["p_answer_0"], row["choice"]
        return f"answer {choice}" if p is None else f"{p:g} for answer 0"
    if "speech" in row:
        return f"{row['word_count']} words"
    value = row.get("value")
    return str(row.get("winner")) if value is None else f"{value:g}"
