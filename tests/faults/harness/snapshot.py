"""What is in a home, written down so that two homes can be compared."""

import hashlib
import json
import os
import re
import uuid
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from tests.faults.harness.beside import lake_beside
from warehouse.build_file import explained_when_damaged
from warehouse.errors import WarehouseDamaged
from warehouse.files import sha256_file
from warehouse.home import Home
from warehouse.lake.engine import open_build
from warehouse.lake.versions import fetched
from warehouse.reader import Version, connect, current_version

# Of each table, its rows as text, sorted.
Rows = dict[str, list[str]]

# Times of the clock, what they decide, and the hash of a journal, which holds times.
_TIMES = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+|latency_s\":[\d.e-]+")
_UNEQUAL = (
    "_loaded_at",
    "loaded_at",
    "started_at",
    "ended_at",
    "answered_at",
    "latency_s",
    "sha256",
)


def raw_rows(connection: duckdb.DuckDBPyConnection) -> Rows:
    """Return every row of every raw table, without times, sorted."""
    columns: dict[str, list[str]] = {}
    for table, column in connection.execute(
        "select table_name, column_name from duckdb_columns() where schema_name = 'raw' "
        "order by table_name, column_index"
    ).fetchall():
        columns.setdefault(table, [])
        if column not in _UNEQUAL:
            columns[table].append(column)
    # Most tables are empty; one query says which.
    counts = " union all ".join(f"select '{table}', count(*) from raw.{table}" for table in columns)
    filled = {table for table, n in connection.execute(counts).fetchall() if n} if columns else ()
    return {
        table: sorted(
            json.dumps(row, default=str)
            for row in connection.execute(f"select {', '.join(names)} from raw.{table}").fetchall()
        )
        if table in filled
        else []
        for table, names in columns.items()
    }


def database_of(home: Home) -> tuple[Rows, tuple[Any, ...] | None]:
    """Return the raw rows of a home nobody is writing in, and how its last build ended.

    Reading changes nothing: what a killed writer left in the log is replayed in memory only. Of a
    file that it left damaged, the copy is read that the next writer goes on from.
    """
    if lake := lake_beside(home):
        return _of(open_build(lake, home.root.parent / "spill", None))
    if not home.build_db.exists():
        return {}, None
    try:
        with explained_when_damaged(home):
            return _of(duckdb.connect(str(home.build_db), read_only=True))
    except WarehouseDamaged:
        return _of(duckdb.connect(str(home.build_copy), read_only=True))


def _of(opened: duckdb.DuckDBPyConnection) -> tuple[Rows, tuple[Any, ...] | None]:
    with opened as connection:
        build = (
            connection.execute(
                "select expected_count, passed_count, problems from audit.builds "
                "order by build_id desc limit 1"
            )
            if _has_table(connection, "builds")
            else None
        )
        last = build.fetchone() if build else None
        return raw_rows(connection), last


def _has_table(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    row = connection.execute(
        "select count(*) from duckdb_tables() where table_name = ?", [name]
    ).fetchone()
    return bool(row and row[0])


# Versions are immutable and most trials leave the same one: each is read once.
_published: dict[str, Rows] = {}


def published_of(home: Home) -> Rows | None:
    """Return every row of every table that readers see now, without times; None before the first."""
    version = _current_version(home)
    if version is None:
        return None
    content = sha256_file(version.path)
    if content not in _published:
        with connect(version) as connection:
            tables = connection.execute("select table_name from duckdb_tables()").fetchall()
            _published[content] = {
                table: sorted(
                    json.dumps(row, default=str)
                    for row in connection.execute(f"from {table}").fetchall()
                )
                for (table,) in tables
                # How often a version was published, and against which, differs after a kill.
                if table not in {"publication", "estimate_changes"}
            }
    return _published[content]


def _current_version(home: Home) -> Version | None:
    if lake := lake_beside(home):
        kept = fetched(lake, home.published)
        return Version(kept[-1].stem, kept[-1], datetime.now(UTC)) if kept else None
    return current_version(home) if home.current.is_symlink() else None


def journal_answers(home: Home) -> dict[str, Counter[str]]:
    """Return, per run and pipeline, how often each request has an answer on disk."""
    found: dict[str, Counter[str]] = {}
    places = (home.journal, home.key_points)
    for path in sorted(each for place in places for each in place.glob("*/responses.jsonl")):
        text = path.read_text(encoding="utf-8")
        whole, _, torn = text.rpartition("\n")
        # A pipeline that has every reply does not open its journal again.
        assert not torn or path.is_relative_to(home.key_points), f"{path} has a torn last line"
        lines = [json.loads(line) for line in whole.splitlines()]
        found[path.parent.name] = Counter(
            line["request_id"]
            for line in lines
            if line["kind"] == "answer" and line["status"] == "answered"
        )
    return found


def item_files(home: Home) -> dict[str, Any]:
    """Return each data set's pointer to files that are there, and the records of each step."""
    found = {}
    for pointer in sorted(home.items.glob("*/current.json")):
        content = json.loads(pointer.read_text(encoding="utf-8"))
        for name in ("items", "reference"):
            target = pointer.parent / content[name]
            assert target.is_file(), f"{pointer} names {target.name}, which is not there"
            assert target.read_bytes()[-4:] == b"PAR1", f"{target} is not whole"
        found[pointer.parent.name] = content
    for step in sorted(home.key_points.glob("*/*.json")):
        found[f"key points, {step.stem}"] = json.loads(step.read_text("utf-8"))["records"]
    return found


def file_names(home: Home) -> list[str]:
    """Return every file under the home by a name that does not depend on the time."""
    return sorted(_name(home, path) for path in _files(home))


def fingerprint(home: Home) -> str:
    """Return a hash of every file under the home, blind to the times and process ids in them.

    Two homes of one fingerprint cannot behave differently. A lake has files elsewhere, with names
    of their own: no two homes with one have the same.
    """
    if lake_beside(home):
        return uuid.uuid4().hex
    digest = hashlib.sha256()
    for path in sorted(_files(home)):
        content = b"" if path.is_symlink() or path == home.build_lock else path.read_bytes()
        if path.suffix in {".json", ".jsonl"}:
            content = _TIMES.sub(b"", content)
        digest.update(f"{_name(home, path)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _files(home: Home) -> list[Path]:
    return [path for path in home.root.rglob("*") if path.is_symlink() or not path.is_dir()]


def _name(home: Home, path: Path) -> str:
    name = path.relative_to(home.root).as_posix()
    if path.is_symlink():
        name += f" -> {os.readlink(path)}"
    # A publish cut short may have used up a number.
    name = re.sub(r"v\d{6}-\d{8}T\d{6}Z", "<version>", name)
    return re.sub(r"\d+(-\w+)?\.part", "part", name)
