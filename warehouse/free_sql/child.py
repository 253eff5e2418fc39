"""The process that runs one free query; `queries` starts it, as a script.

With the standard library and DuckDB alone it starts in a fifth of a second. The kernel limits
memory, CPU time, wall time and files before the query runs. DuckDB's own limits are not enough: it
ignores interrupts while it folds constants, and allocates such values outside its memory limit
(1.5.5).
"""

import datetime
import decimal
import json
import os
import re
import resource
import signal
import sys
import threading
import uuid
from collections.abc import Sequence
from typing import Any

import duckdb

_BATCH_ROWS = 2048
_NESTED = re.compile(r"STRUCT|MAP|UNION|VARIANT|\[")
_SECRET = re.compile(r"\bsecret\b", re.IGNORECASE)
# Types for whose values Python imports a module on first use.
_FIRST_USES = "select now(), 1.5::decimal, uuid(), interval 1 day, date '2026-01-01', time '12:00'"
# `pivot` makes a temporary type before it selects; the file itself is read-only.
_ASKS = frozenset(
    {
        duckdb.StatementType.SELECT,
        duckdb.StatementType.EXPLAIN,
        duckdb.StatementType.CREATE,
    }
)


def main() -> None:
    """Answer a request from standard input on standard output, line by line."""
    request = json.loads(sys.stdin.buffer.readline())
    signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    _limit(resource.RLIMIT_AS, request["memory_bytes"])
    _limit(resource.RLIMIT_CPU, request["cpu_seconds"])
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    os.nice(request["niceness"])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answer = _Answer(os.path.dirname(request["file"]), request["answer_bytes"])
    try:
        connection = _opened(request)
    except duckdb.IOException as error:
        answer.write({"unopened": str(error)})
        sys.stdout.buffer.flush()
        os._exit(0)
    try:
        connection.execute(_FIRST_USES).fetchall()
        if not request["opening"]:
            # The kernel uses the lowest free number: from here on nothing can be opened.
            spare = os.open(os.devnull, os.O_RDONLY)
            os.close(spare)
            _limit(resource.RLIMIT_NOFILE, spare)
        _answer(connection, request["query"], request["max_rows"], answer)
    except (MemoryError, duckdb.OutOfMemoryException):
        answer.write({"failed": "memory"})
    except duckdb.Error as error:
        answer.write({"error": str(error)})
    sys.stdout.buffer.flush()
    # Without DuckDB's shutdown, which could touch files.
    os._exit(0)


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _end_with_parent() -> None:
    """End with the parent, which holds the other end of standard input."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGKILL)


def _opened(request: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    on_lake = bool(request["opening"])
    connection = duckdb.connect(
        ":memory:" if on_lake else request["file"],
        read_only=not on_lake,
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",
            "threads": str(request["threads"]),
            "memory_limit": f"{request['memory_bytes'] // 2}B",
        },
    )
    if request["extension"]:
        connection.execute("load '" + request["extension"].replace("'", "''") + "'")
    for statement in request["opening"]:
        connection.execute(statement)
    connection.execute("set enable_external_access = false")
    if on_lake:
        # DuckDB allows only a version's own files, each by its name.
        connection.execute("set lock_configuration = true")
        return connection
    # Otherwise the paths of the file and of its log stay allowed.
    connection.execute("set disabled_filesystems = 'LocalFileSystem'")
    connection.execute("set lock_configuration = true")
    return connection


class _Answer:
    """Standard output, with a limit on what goes there and without the folder of the file."""

    def __init__(self, folder: str, limit: int) -> None:
        self._folder = json.dumps(folder, ensure_ascii=False)[1:-1]
        self._left = limit

    def write(self, what: dict[str, Any]) -> bool:
        """Write a line; return False, and write a failure, beyond the limit."""
        text = json.dumps(what, ensure_ascii=False, default=_tagged)
        line = text.replace(self._folder, "").encode(errors="replace") + b"\n"
        self._left -= len(line)
        if self._left < 0:
            line = b'{"failed": "size"}\n'
        sys.stdout.buffer.write(line)
        return self._left >= 0


def _answer(
    connection: duckdb.DuckDBPyConnection, query: str, max_rows: int | None, answer: _Answer
) -> None:
    """Run the statements and write the rows of the query."""
    statements = connection.extract_statements(query)
    for statement in statements:
        # A secret could redirect the reads of a lake's version.
        if statement.type not in _ASKS or (
            statement.type == duckdb.StatementType.CREATE and _SECRET.search(statement.query)
        ):
            answer.write({"refused": statement.type.name})
            return
    if not statements:
        answer.write({"error": "there is no query"})
        return
    if sum(statement.type != duckdb.StatementType.CREATE for statement in statements) > 1:
        answer.write({"error": "there are several queries, and one is answered: run each alone"})
        return
    for statement in statements:
        connection.execute(statement)
    described = connection.description or []
    types = [str(column[1]) for column in described]
    answer.write({"columns": [column[0] for column in described], "types": types})
    nested = [at for at, kind in enumerate(types) if _NESTED.search(kind)]
    count = 0
    while rows := connection.fetchmany(_BATCH_ROWS):
        kept = rows if max_rows is None else rows[: max_rows - count]
        count += len(kept)
        if not answer.write({"rows": _listed(kept, nested)}):
            return
        if len(kept) < len(rows):
            answer.write({"done": True, "truncated": True})
            return
    answer.write({"done": True, "truncated": False})


def _listed(rows: Sequence[tuple[Any, ...]], nested: Sequence[int]) -> list[Any]:
    if not nested:
        return list(rows)
    listed = [list(row) for row in rows]
    for row in listed:
        for at in nested:
            row[at] = _walked(row[at])
    return listed


def _walked(value: Any) -> Any:
    """Return a nested value with tagged objects: JSON has text keys only."""
    if isinstance(value, dict):
        return {"dict": [[_walked(key), _walked(one)] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        return [_walked(one) for one in value]
    return value


def _tagged(value: Any) -> dict[str, Any]:
    """Return a value without a JSON type as an object with the name of its type."""
    match value:
        case datetime.datetime() | datetime.date() | datetime.time():
            return {type(value).__name__: value.isoformat()}
        case datetime.timedelta():
            return {"timedelta": [value.days, value.seconds, value.microseconds]}
        case decimal.Decimal() | uuid.UUID():
            return {type(value).__name__: str(value)}
        case bytes() | bytearray():
            return {"bytes": value.hex()}
    return {"str": str(value)}


if __name__ == "__main__":
    main()
