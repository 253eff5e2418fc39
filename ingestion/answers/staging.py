"""Writing many answers to raw: gathered in a table beside it, compared with what is there, swapped.

Rows come in chunks, so that a load needs the memory of a chunk and not of a file. A run's rows are
replaced together, and only if something changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from inference.kinds import raw_tables
from ingestion.batch import Counts
from ingestion.json_values import as_json, storable
from ingestion.questions.texts import ANSWER_HASH
from ingestion.raw_tables import registered
from warehouse.raw import delete_runs, insert_rows, select_rows
from warehouse.records.tables import arrow_schema

# Rows of a file whose names are looked up at once: each time whole tables are read.
_CHUNK = 2_048
# What DuckDB takes at once. Each time costs it some milliseconds, whatever the rows; four times as
# much keeps a second process waiting that reads a journal, and saves less than that costs.
_WAITING_BYTES = 4_000_000
# What DuckDB may keep in memory while rows pass through it; others wait on disk. Loading 200,000
# answers takes 480 MB in both processes with it (measured 2026-11-28).
_MEMORY = 112_000_000
# What it can put on the disk, as `duckdb_memory` calls it.
_MOVABLE = "'BASE_TABLE', 'IN_MEMORY_TABLE', 'OVERFLOW_STRINGS'"
# Column of the line of the file: a later row may replace an earlier one.
LINE_NUMBER = "line_number"
_USAGE = ("tokens_in", "tokens_cached", "tokens_out", "cost_usd")
_Row = TypeVar("_Row")


@cache
def staged_schema(table: str) -> pa.Schema:
    """Columns of staged rows: those of the raw table, and the line of the file."""
    return arrow_schema(table).append(pa.field(LINE_NUMBER, pa.int64()))


def batch_of(table: str, rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
    """Return rows of a table as one batch; missing columns are null, lists and objects JSON.

    Args:
        rows: Each with its `line_number`.
    """
    schema = staged_schema(table)
    has_part = "part" in schema.names
    for row in rows:
        # Arrow takes no object for a text, and then every column takes its own conversion.
        if type(row.get("extra")) is dict:
            row["extra"] = as_json(row["extra"])
        if has_part and row.get("part") is None:
            row["part"] = 0
    try:
        return pa.RecordBatch.from_struct_array(pa.array(rows, pa.struct(schema)))
    except (TypeError, ValueError):
        columns = [_column([row.get(one.name) for row in rows], one.type) for one in schema]
        return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (TypeError, ValueError):
        # Only values that Arrow refuses are looked at: objects, and texts with half a character.
        return pa.array([_stored(value) for value in values], kind)


def _stored(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    return as_json(value) if isinstance(value, dict | list) else value


def in_chunks(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """Yield rows so many at a time that a table of them is worth making."""
    waiting = iter(rows)
    while chunk := list(islice(waiting, _CHUNK)):
        yield chunk


class Staged:
    """Rows on their way into a raw table. Gone with the transaction it is made in, or by `drop`.

    Args:
        table: A table of `raw_tables`, or one of its parts.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        self._connection = connection
        self.table = table
        self._key = ("run_id", *_key_of(table))
        self._name = f"staged_{table}"
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0
        self._most_bytes = 0
        self._columns = arrow_schema(table).names
        connection.execute(
            f"create or replace temp table {self._name} as "
            f"select {', '.join(self._columns)}, 0::bigint as {LINE_NUMBER} "
            f"from raw.{table} limit 0"
        )

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Take in rows, as `batch_of` takes them."""
        if rows:
            self.take(batch_of(self.table, rows))

    def take(self, made: pa.RecordBatch) -> None:
        """Take in a batch that `batch_of` made of rows of the table."""
        size = made.get_total_buffer_size()
        self._waiting.append(made)
        self._waiting_bytes += size
        self._most_bytes = max(self._most_bytes, size)
        if self._waiting_bytes > _WAITING_BYTES:
            self._take_in()

    def _take_in(self) -> None:
        # In one piece: DuckDB takes many small ones in more slowly.
        waiting = pa.Table.from_batches(self._waiting).combine_chunks()
        self._waiting, self._waiting_bytes = [], 0
        # Under a name it would stay in memory until the transaction ends.
        with self._little_memory():
            self._connection.from_arrow(waiting).insert_into(self._name)

    @contextmanager
    def _little_memory(self) -> Iterator[None]:
        """Leave DuckDB little memory for rows that pass through it one after the other.

        What updates or compares them all takes what it needs. An error ends the load, and with the
        connection the limit.
        """
        usual, fixed = self._connection.execute(
            "select current_setting('memory_limit'), sum(memory_usage_bytes)::bigint "
            f"from duckdb_memory() where tag not in ({_MOVABLE})"
        ).fetchall()[0]
        # Room also for what cannot be moved, and for long texts, which are whole in memory.
        needed = _MEMORY + 4 * self._most_bytes + fixed
        # DuckDB 1.5.5's threads wait by running: two take rows in at twice the cost, and slower.
        self._connection.execute(f"set memory_limit = '{needed}B'; set threads = 1")
        yield
        # DuckDB 1.5.5 says that a reset limit is the usual one, and keeps to the other.
        self._connection.execute(f"reset threads; set memory_limit = '{usual}'")

    def _is_in_file(self) -> bool:
        row = self._connection.execute(
            "select type = 'duckdb' from duckdb_databases() "
            "where database_name = current_database()"
        ).fetchone()
        return bool(row and row[0])

    @property
    def name(self) -> str:
        """The table that holds all rows there are."""
        if self._waiting:
            self._take_in()
        return self._name

    def requests(self) -> set[str]:
        """Return the requests that have rows."""
        found = self._connection.execute(f"select distinct request_id from {self.name}")
        return {row[0] for row in found.fetchall()}

    def set_all(self, values: Mapping[str, str]) -> None:
        """Give all rows the same values in some columns."""
        setting = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(
            f"update {self.name} set {setting}",
            list(values.values()),
        )

    def rename_runs(self, run_ids: Mapping[str, str]) -> None:
        """Put the runs' ids where the judges' stand."""
        names = pa.table(
            {
                "judge": pa.array(list(run_ids), pa.string()),
                "run": pa.array(list(run_ids.values()), pa.string()),
            }
        )
        with registered(self._connection, "renamed", names):
            self._connection.execute(
                f"update {self.name} set run_id = run from renamed where run_id = judge"
            )

    def add_up_usage(self) -> None:
        """Give every row of a request what all its rows used; unknown stays unknown."""
        sums = ", ".join(f"sum({name}) as {name}" for name in _USAGE)
        setting = ", ".join(
            f"{name} = case when own.{name} is not null then total.{name} end" for name in _USAGE
        )
        self._connection.execute(
            f"update {self.name} as own set {setting} from ("
            f"select request_id, {sums} from {self.name} group by request_id having count(*) > 1"
            ") as total where own.request_id = total.request_id"
        )

    def reasons(self) -> Counter[str | None]:
        """Return how many answers cannot be read, by reason; None counts those that can."""
        if "parse_status" not in self._columns:
            # An answer to a question is read where it has words, as the marts count it.
            counted = (
                "select case when request_status != 'answered' then coalesce(error_kind, "
                "'not_answered') when not regexp_matches(coalesce(response, ''), '\\S') "
                "then 'empty_answer' end as reason, count(*) from {} group by reason"
            )
        else:
            counted = (
                "select case when parse_status not in ('parsed', 'supplied') "
                "then coalesce(parse_reason, error_kind, parse_status) end as reason, "
                "count(*) from {} group by reason"
            )
        return Counter(dict(self._connection.execute(counted.format(self.name)).fetchall()))

    def keep_last_answer(self) -> None:
        """Of the rows of one request keep the last answered one, else the last.

        An error after an answer (another machine's, say) does not take the answer away.
        """
        # Likelihoods have no rows for a request that failed as a whole.
        answered = "request_status = 'answered'" if "request_status" in self._columns else "true"
        self._connection.execute(
            f"delete from {self.name} where line_number not in ("
            f"select arg_max(line_number, ({answered}, line_number)) from {self.name} "
            "group by request_id)"
        )

    def keep_lines_of(self, *others: Staged) -> None:
        """Keep the rows that stand where one of another table does."""
        lines = " union all ".join(f"select line_number from {other.name}" for other in others)
        self._connection.execute(f"delete from {self.name} where line_number not in ({lines})")

    def keep_hashes(self) -> None:
        """Let answers that are there already keep the hash of the text they were first about."""
        self._connection.execute(
            f"update {self.name} as staged set item_hash = known.item_hash "
            f"from raw.{self.table} as known where {self._same_key()}"
        )

    def set_answer_hashes(self) -> None:
        """Give answers the hash of what is read of them: the question and the reply.

        One that is there keeps the hash it has: since then the question may have changed.
        """
        self._connection.execute(
            f"update {self.name} set answer_hash = {ANSWER_HASH} from raw.questions as questions "
            f"where {self.name}.question_id = questions.question_id "
            "and request_status = 'answered'"
        )
        self._connection.execute(
            f"update {self.name} as staged set answer_hash = known.answer_hash "
            f"from raw.{self.table} as known where {self._same_key()} "
            "and staged.response = known.response "
            "and staged.item_hash is not distinct from known.item_hash"
        )

    def replace(self, run_ids: Sequence[str], source_file: str, now: datetime) -> Counts:
        """Put the rows in the place of all that these runs had, where anything differs.

        Args:
            now: For `_loaded_at`.
        """
        total, new, gone, changed = self._differences(run_ids)
        counts = Counts(new, changed + gone, total - new - changed)
        if new or changed or gone:
            for statement in delete_runs(self.table):
                self._connection.execute(statement, [list(run_ids)])
            # A lake's files are written from as many rows at once as memory must have room for.
            with self._little_memory() if self._is_in_file() else nullcontext():
                for statement in insert_rows(self.table, self.name, ("?", "?")):
                    self._connection.execute(statement, [source_file, now])
        return counts

    def _differences(self, run_ids: Sequence[str]) -> tuple[int, int, int, int]:
        """Return how many rows there are, are new, are there no more, and have changed."""
        present = f"({select_rows(self.table, 'list_contains($runs, run_id)')})"
        keys = ", ".join(self._key)
        differs = " or ".join(
            f"staged.{name} is distinct from known.{name}" for name in self._columns
        )
        # Every name in these statements is a constant of this module or a column of the schema.
        row = self._connection.execute(
            f"select (select count(*) from {self.name}), (select count(*) from {present})",
            {"runs": list(run_ids)},
        ).fetchone()
        total, known = row or (0, 0)
        if not known:
            return total, total, 0, 0
        row = self._connection.execute(
            f"select (select count(*) from {self.name} anti join {present} using ({keys})), "
            f"(select count(*) from {present} anti join {self.name} using ({keys})), "
            f"(select count(*) from {self.name} as staged inner join {present} as known "
            f"on {self._same_key()} where {differs})",
            {"runs": list(run_ids)},
        ).fetchone()
        return (total, *(row or (0, 0, 0)))

    def drop(self) -> None:
        """Let go of the rows."""
        self._waiting.clear()
        self._connection.execute(f"drop table if exists {self._name}")

    def _same_key(self) -> str:
        return " and ".join(f"staged.{name} = known.{name}" for name in self._key)


class StagedTables(dict[str, Staged]):
    """Rows on their way into raw tables, by table; each is there once it is asked for."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__()
        self._connection = connection

    def __missing__(self, table: str) -> Staged:
        self[table] = Staged(self._connection, table)
        return self[table]

    def ask_for_those_of(self, run_ids: Sequence[str], tables: Iterable[str]) -> None:
        """Ask for each of these tables that has rows of a run, to replace them, if by none."""
        had = self._connection.execute(
            # Every name in this statement is a constant of a kind's.
            " union all ".join(
                f"select '{name}' where exists "
                f"(from raw.{name} where list_contains($run_ids, run_id))"
                for name in tables
            ),
            {"run_ids": list(run_ids)},
        ).fetchall()
        for (name,) in had:
            self[name]


def _key_of(table: str) -> tuple[str, ...]:
    """Return what tells the rows of a table apart within a run."""
    for each in raw_tables().values():
        if table == each.name or table in each.parts:
            return each.key if table == each.name else each.parts[table]
    raise KeyError(table)
