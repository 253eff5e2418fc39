"""What is in a home, written down so that two homes can be compared."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb

from warehouse.home import Home
from warehouse.reader import current_version, run_query

# Times of the clock, what they decide, and the hash of a journal, which holds times.
_UNEQUAL = (
    "_loaded_at", "loaded_at", "started_at", "ended_at", "answered_at", "latency_s", "sha256",
)  # fmt: skip


def raw_rows(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Return every row of every raw table, without times, sorted."""
    columns: dict[str, list[str]] = {}
    for table, column in connection.execute(
        "select table_name, column_name from duckdb_columns() where schema_name = 'raw' "
        "order by table_name, column_index"
    ).fetchall():
        columns.setdefault(table, [])
        if column not in _UNEQUAL:
            columns[table].append(column)
    return {
        table: sorted(
            json.dumps(row, default=str)
            for row in connection.execute(f"select {', '.join(names)} from raw.{table}").fetchall()
        )
        for table, names in columns.items()
    }


def raw_of(home: Home) -> dict[str, list[str]]:
    """Return the raw rows of a home nobody is writing in; empty where there is no database yet.

    Reading changes nothing: what a killed writer left in the log is replayed in memory only.
    """
    if not home.build_db.exists():
        return {}
    with duckdb.connect(str(home.build_db), read_only=True) as connection:
        return raw_rows(connection)


def published_of(home: Home) -> dict[str, list[str]]:
    """Return every row of every table that readers see now, without what names the version."""
    version = current_version(home)
    tables = run_query(version, "select table_name from duckdb_tables() order by 1").rows
    return {
        table: sorted(
            json.dumps(row, default=str)
            for row in run_query(version, f"select columns(c -> c not like '%\\_at' escape '\\' "
                                 f"and c <> 'latency_s') from {table}").rows
        )
        for (table,) in tables
        if table != "publication"
    }  # fmt: skip


def journal_answers(home: Home) -> dict[str, Counter[str]]:
    """Return, per run, how often each request has an answer on disk."""
    found: dict[str, Counter[str]] = {}
    for path in sorted(home.journal.glob("*/responses.jsonl")):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n") or not text, f"{path} has a torn last line"
        lines = [json.loads(line) for line in text.splitlines()]
        found[path.parent.name] = Counter(
            line["request_id"]
            for line in lines
            if line["kind"] == "answer" and line["status"] == "answered"
        )
    return found


def item_files(home: Home) -> dict[str, Any]:
    """Return each data set's pointer, having made sure that it points to files that are there."""
    found = {}
    for pointer in sorted(home.items.glob("*/current.json")):
        content = json.loads(pointer.read_text(encoding="utf-8"))
        for name in ("items", "reference"):
            target = pointer.parent / content[name]
            assert target.is_file(), f"{pointer} names {target.name}, which is not there"
            assert target.read_bytes()[-4:] == b"PAR1", f"{target} is not whole"
        found[pointer.parent.name] = content
    return found


def file_names(home: Home) -> list[str]:
    """Return every file under the home by a name that does not depend on the time."""
    return sorted(
        re.sub(r"v\d{6}-\d{8}T\d{6}Z", "<version>", path.relative_to(home.root).as_posix())
        for path in home.root.rglob("*")
        if not path.is_dir() or path.is_symlink()
    )
