"""Writing to the raw tables: sets of rows by key, what was rejected, and the record of a load.

All of it happens inside a transaction that the caller opens with `one_transaction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from ingestion.batch import Counts, Reject, SourceFile
from ingestion.json_values import as_json
from warehouse.raw import column_names, delete_rows, insert_rows
from warehouse.records.tables import TABLES, arrow_schema
from warehouse.safe_text import sql_text
from warehouse.schema import raw_load_id


@dataclass(frozen=True)
class LoadReport:
    """What a load did.

    Attributes:
        source: The source or data set.
        load_id: Its row in `raw.loads`; None when nothing changed, and then nothing was written.
        tables: Row counts by raw table.
        rejects: Records, or parts of them, that broke the contract in this load.
        notes: What a user should know about how the source was read.
        seconds: Wall time, waiting for another writer included.
        records: Of an import: how many records there were, and how many answers in them can be
            read; empty for others. One record may be several answers, and one answer several rows.
    """

    source: str
    load_id: int | None
    tables: Mapping[str, Counts]
    rejects: Sequence[Reject]
    notes: Sequence[str]
    seconds: float
    records: str = ""

    def and_then(self, later: LoadReport) -> LoadReport:
        """Return this load and a later one as one."""
        names = [*self.tables, *(name for name in later.tables if name not in self.tables)]
        return LoadReport(
            source=self.source,
            load_id=self.load_id if later.load_id is None else later.load_id,
            tables={
                name: self.tables.get(name, Counts()) + later.tables.get(name, Counts())
                for name in names
            },
            rejects=[*self.rejects, *later.rejects],
            notes=[*self.notes, *later.notes],
            seconds=self.seconds + later.seconds,
        )

    @property
    def quarantined(self) -> int:
        """How many records, or parts of them, broke the contract."""
        return len(self.rejects)

    @property
    def total(self) -> Counts:
        """Row counts over all tables."""
        return sum(self.tables.values(), Counts())

    @property
    def new(self) -> int:
        """Rows added."""
        return self.total.new

    @property
    def new_by_table(self) -> str:
        """Rows added, table by table, such as "12 verdicts, 1 runs"; empty where none was."""
        return ", ".join(
            f"{counts.new:,} {name}" for name, counts in self.tables.items() if counts.new
        )

    @property
    def updated(self) -> int:
        """Rows whose key was there with other content."""
        return self.total.updated

    @property
    def unchanged(self) -> int:
        """Rows that were there already."""
        return self.total.unchanged


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> Iterator[None]:
    """Let SQL read a table by a name, as long as the block lasts."""
    connection.register(name, table)
    try:
        yield
    finally:
        connection.unregister(name)


def rows_changed(connection: duckdb.DuckDBPyConnection, sql: str, *parameters: object) -> int:
    """Run an insert, update or delete and return how many rows it touched."""
    row = connection.execute(sql, list(parameters)).fetchone()
    return int(row[0]) if row else 0


def upsert(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    rows: Sequence[Any],
    *,
    source_file: str,
    now: datetime,
) -> Counts:
    """Insert the rows whose key is new, and update those whose content changed.

    Rows of the table that are not among `rows` stay as they are.

    Args:
        table: The raw table's name.
        rows: Records or mappings, each key once.
        source_file: For `_source_file` of rows that are new or changed.
        now: For `_loaded_at` of rows that are new or changed.
    """
    if not rows:
        return Counts()
    with registered(connection, "staged", as_arrow(table, rows)):
        return upsert_from(connection, table, "staged", source_file=source_file, now=now)


def upsert_from(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    view: str,
    *,
    source_file: str,
    now: datetime,
) -> Counts:
    """Do what `upsert` does with the rows of a view, which need not fit in memory.

    Args:
        table: The raw table's name.
        view: The view, which has each key once, and every column of the table.
        source_file: For `_source_file` of rows that are new or changed.
        now: For `_loaded_at` of rows that are new or changed.
    """
    keys = TABLES[table].key
    key = ", ".join(keys)
    arriving_key = ", ".join(f"arriving.{name}" for name in keys)
    same_key = " and ".join(f"present.{name} = arriving.{name}" for name in keys)
    differs = " or ".join(
        f"present.{name} is distinct from arriving.{name}"
        for name in column_names(table)
        if name not in keys
    )
    # Every name in these statements is a constant of this package.
    connection.execute(
        f"create or replace temp table changing as select {arriving_key}, "
        f"present.{keys[0]} is null as is_new from {view} as arriving "
        f"left join raw.{table} as present on {same_key} "
        f"where present.{keys[0]} is null or {differs or 'false'}"
    )
    total, new, updated = connection.execute(
        f"select (select count(*) from {view}), count(*) filter (is_new), "
        "count(*) filter (not is_new) from changing"
    ).fetchall()[0]
    if updated:
        _run(connection, delete_rows(table, "(from changing where not is_new)"))
    if new or updated:
        rows = f"(from {view} semi join changing using ({key}))"
        provenance = (sql_text(source_file), f"timestamp '{now}'")
        _run(connection, insert_rows(table, rows, provenance))
    connection.execute("drop table changing")
    return Counts(new, updated, total - new - updated)


def remove_rows(
    connection: duckdb.DuckDBPyConnection, table: str, where: str, *parameters: object
) -> int:
    """Delete rows of a raw table, named `present` in the condition, and return how many."""
    key = ", ".join(f"present.{name}" for name in TABLES[table].key)
    connection.execute(
        f"create or replace temp table gone as select {key} from raw.{table} as present "
        f"where {where}",
        list(parameters),
    )
    count = connection.execute("select count(*) from gone").fetchall()[0][0]
    if count:
        _run(connection, delete_rows(table, "gone"))
    connection.execute("drop table gone")
    return int(count)


def change_rows(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    values: Mapping[str, str],
    where: str,
    *parameters: object,
    source_file: str | None = None,
    now: datetime | None = None,
) -> int:
    """Change columns of a raw table's rows, but not their keys, and return how many rows.

    Args:
        values: The new value of each column, as SQL over the row, which is named `present`.
        where: The rest of the query that finds the rows: joins, then the condition.
        parameters: Those of the values, then those of the condition.
        source_file: For `_source_file`, with `now` for `_loaded_at`; both stay if not given.
    """
    changes = dict(values)
    if source_file is not None:
        changes |= {"_source_file": sql_text(source_file), "_loaded_at": f"timestamp '{now}'"}
    replaced = ", ".join(f"{value} as {name}" for name, value in changes.items())
    connection.execute(
        "create or replace temp table changing as "
        f"select present.* replace ({replaced}) from raw.{table} as present {where}",
        list(parameters),
    )
    count = connection.execute("select count(*) from changing").fetchall()[0][0]
    if count:
        _run(connection, delete_rows(table, "changing"))
        _run(connection, insert_rows(table, "changing"))
    connection.execute("drop table changing")
    return int(count)


def _run(connection: duckdb.DuckDBPyConnection, statements: Iterable[str]) -> None:
    for statement in statements:
        connection.execute(statement)


def as_arrow(table: str, rows: Sequence[Any]) -> pa.Table:
    """Return rows of a raw table, records or mappings, as an Arrow table of its columns."""
    is_mapping = bool(rows) and isinstance(rows[0], Mapping)
    return pa.table(
        [
            pa.array(
                [
                    _stored(row.get(field.name) if is_mapping else getattr(row, field.name))
                    for row in rows
                ],
                field.type,
            )
            for field in arrow_schema(table)
        ],
        schema=arrow_schema(table),
    )


def _stored(value: Any) -> Any:
    return as_json(list(value)) if isinstance(value, tuple) else value


def record_load(
    connection: duckdb.DuckDBPyConnection,
    kind: str,
    source: str,
    files: Sequence[SourceFile],
    tables: Mapping[str, Counts],
    rejects: Sequence[Reject],
    now: datetime,
) -> int | None:
    """Write down a load and its rejects, unless it changed nothing and rejected nothing new.

    Publishing compares load ids, so a load that changed nothing must not leave one.

    Args:
        kind: `dataset`, `scores`, `journal`, `judges` or `reparse`.
        source: The source's name.
        files: The files that were read.
        tables: What changed, by table.
        rejects: What broke the contract.
        now: When.

    Returns:
        The load's id, or None when nothing was written down.
    """
    load_id = raw_load_id(connection) + 1
    quarantined = _quarantine(connection, load_id, source, files, rejects, now)
    counts = sum(tables.values(), Counts())
    if not (counts.new or counts.updated or quarantined):
        return None
    connection.execute(
        "insert into raw.loads values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            load_id,
            kind,
            source,
            " + ".join(file.label for file in files),
            "+".join(file.sha256 for file in files) or None,
            counts.new,
            counts.updated,
            counts.unchanged,
            quarantined,
            now,
        ],
    )
    return load_id


def _quarantine(
    connection: duckdb.DuckDBPyConnection,
    load_id: int,
    source: str,
    files: Sequence[SourceFile],
    rejects: Sequence[Reject],
    now: datetime,
) -> int:
    if not rejects:
        return 0
    labels = {file.shown: file.label for file in files}
    table = pa.table(
        {
            "file": [labels.get(reject.file, reject.file) for reject in rejects],
            "record": [reject.record for reject in rejects],
            "field": pa.array([reject.field for reject in rejects], pa.string()),
            "reason": [reject.reason for reject in rejects],
            "original": pa.array([reject.original for reject in rejects], pa.string()),
        }
    )
    with registered(connection, "staged", table):
        return rows_changed(
            connection,
            "insert into raw.quarantine "
            "select ?, ?, file, record, field, reason, original, ? from ("
            "    select * from staged except "
            "    select file, record, field, reason, original from raw.quarantine "
            "    where source = ?)",
            load_id,
            source,
            now,
            source,
        )
