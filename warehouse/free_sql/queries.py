"""Free SQL: queries of users, each in a process of its own with limits of the kernel.

The dashboard's own queries share one instance of DuckDB per version (`reader`); a free query never
touches it, so it can at most end its own process (`child`).
"""

import contextlib
import datetime
import decimal
import io
import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warehouse.errors import QueryFailed, VersionGone
from warehouse.home import Home
from warehouse.lake.settings import SUFFIX, extension_file
from warehouse.reader import Result, Version, current_version
from warehouse.search import index_of, is_search

AT_ONCE = 2
QUERY_LENGTH = 100_000

# How long a query waits for a free place.
_PATIENCE_S = 5.0
_THREADS = 2
_NICENESS = 10
_READ_BYTES = 1 << 16
_ADVICE = (
    "ask for less, filter first, or raise the limits in a terminal: "
    "rostrum sql --timeout 60 --memory 4"
)
_CHILD = Path(__file__).with_name("child.py")
# Needed by the interpreter and DuckDB's time zone; neither keys nor a home directory.
_PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
# DuckDB loads an extension with dozens of short threads, for each of which the C library would
# reserve 64 MB of the address space: a query of a lake had a tenth of it left.
_SHARED_ARENAS = {"MALLOC_ARENA_MAX": "2"}
# Names of folders of installed packages.
_PACKAGES = ("site-packages", "dist-packages")
_DESCRIBE = re.compile(r'\s*desc(?:ribe)?\s+(?:table\s+)?"?(\w+)"?\s*;?\s*', re.IGNORECASE)
_PLACES = threading.BoundedSemaphore(AT_ONCE)
_UNTAGGED: dict[str, Callable[[Any], Any]] = {
    "dict": lambda pairs: {_hashable(key): value for key, value in pairs},
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda parts: datetime.timedelta(*parts),
    "Decimal": decimal.Decimal,
    "UUID": uuid.UUID,
    "bytes": bytes.fromhex,
    "str": str,
}


@dataclass(frozen=True)
class Limits:
    """Limits of a free query.

    Attributes:
        seconds: Wall time, including the start of its process.
        answer_bytes: Size of its encoded answer.
        max_rows: Rows of its answer; None for no limit but the size.
    """

    seconds: float = 10.0
    memory_bytes: int = 1_500_000_000
    answer_bytes: int = 100_000_000
    max_rows: int | None = None

    @property
    def memory(self) -> str:
        """The memory as text."""
        return f"{self.memory_bytes / 1e9:.3g} GB"


def limits_of(*, seconds: float, memory_gb: float) -> Limits:
    """Return limits for a terminal, with an answer in proportion to the memory."""
    plain = Limits()
    memory_bytes = int(memory_gb * 1e9)
    return Limits(seconds, memory_bytes, memory_bytes * plain.answer_bytes // plain.memory_bytes)


def run_on_newest(home: Home, query: str, limits: Limits) -> Result:
    """Run a query over the newest version, or again if that was pruned."""
    try:
        return run_freely(current_version(home), query, limits)
    except VersionGone:
        return run_freely(current_version(home), query, limits)


def run_freely(version: Version, query: str, limits: Limits) -> Result:
    """Run a query over a version in a separate process, and return its rows.

    Args:
        query: One query of DuckDB SQL, after statements that create what it needs.

    Raises:
        VersionGone: The version has been pruned since it was looked up.
        QueryFailed: The query is wrong or refused, exceeds a limit, or too many run already.
    """
    if len(query) > QUERY_LENGTH:
        message = f"sql: the query has {len(query):,} characters; {QUERY_LENGTH:,} are the most"
        raise QueryFailed(message)
    _check_kept(version)
    if not _PLACES.acquire(timeout=_PATIENCE_S):
        message = f"sql: busy: {AT_ONCE} free queries run already; run it again in some seconds"
        raise QueryFailed(message)
    try:
        with _started(version, _with_meanings(query), limits) as child:
            answer = _answer(child, limits)
    finally:
        _PLACES.release()
    return _result(answer, limits, version)


def _check_kept(version: Version) -> None:
    if not version.path.exists():
        raise VersionGone(f"sql: version {version.name} is no longer kept; run the query again")


def _with_meanings(query: str) -> str:
    """Return a query for a table's columns with their meanings in place of `describe`."""
    described = _DESCRIBE.fullmatch(query)
    if described is None:
        return query
    return (
        f'select found.column_name, found.column_type, comment as meaning from (describe "'
        f'{described[1]}") as found left join duckdb_columns() as noted '
        f"on lower(table_name) = lower('{described[1]}') "
        "and noted.column_name = found.column_name and database_name = current_database() "
        "order by column_index"
    )


@contextlib.contextmanager
def _started(version: Version, query: str, limits: Limits) -> Iterator[subprocess.Popen[bytes]]:
    """Start the child with the query, and kill it at the end."""
    is_searching = is_search(query)
    statements = []
    if version.path.suffix == SUFFIX:
        # Imports DuckDB, which only the child needs for a file.
        from warehouse.lake.versions import opening

        statements = opening(version.path, index_of(version.path) if is_searching else None)
    request = {
        "file": str(version.path),
        "opening": statements,
        "query": query,
        "max_rows": limits.max_rows,
        # A second later than this process, in case that it no longer can.
        "seconds": limits.seconds + 1,
        "cpu_seconds": math.ceil(limits.seconds * _THREADS) + 1,
        "memory_bytes": limits.memory_bytes,
        "answer_bytes": limits.answer_bytes,
        "threads": _THREADS,
        "niceness": _NICENESS,
        "extension": str(extension_file("fts") or "") if is_searching else "",
    }
    child = subprocess.Popen(
        # Without `site`, which takes longer than Python's start, but with its packages.
        [sys.executable, "-P", "-S", str(_CHILD)],
        env={name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        | _SHARED_ARENAS
        | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith(_PACKAGES))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Ctrl-C ends this process, which then ends the child.
        start_new_session=True,
    )
    try:
        assert child.stdin is not None  # noqa: S101 - a pipe, as asked for above
        with contextlib.suppress(BrokenPipeError):
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
        yield child
    finally:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()


def _answer(child: subprocess.Popen[bytes], limits: Limits) -> bytes:
    """Return the child's output, within the limits on time and size."""
    assert child.stdout is not None  # noqa: S101 - a pipe, as asked for above
    deadline = time.monotonic() + limits.seconds
    answer = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([child.stdout], [], [], left)[0]:
            raise QueryFailed(_stopped(limits))
        part = os.read(child.stdout.fileno(), _READ_BYTES)
        if not part:
            break
        answer += part
        if len(answer) > limits.answer_bytes + _READ_BYTES:
            raise QueryFailed(_too_large(limits))
    code = child.wait()
    if code in (-signal.SIGALRM, -signal.SIGXCPU):
        raise QueryFailed(_stopped(limits))
    if code < 0:
        raise QueryFailed(
            f"sql: the query ended its process ({signal.Signals(-code).name}), most likely because "
            f"it needs more than {limits.memory} of memory; {_ADVICE}"
        )
    if code > 0:
        raise QueryFailed(
            f"sql: the query's process failed with code {code}; look at the installation with "
            "'rostrum doctor'"
        )
    return bytes(answer)


def _result(answer: bytes, limits: Limits, version: Version) -> Result:
    columns: list[str] = []
    types: list[str] = []
    rows: list[tuple[Any, ...]] = []
    truncated = False
    for text in io.BytesIO(answer):
        line = json.loads(text, object_hook=_untagged)
        if "unopened" in line:
            _check_kept(version)
            raise QueryFailed(
                f"sql: version {version.name} cannot be opened: {line['unopened']}; check that "
                "this user may read it, or publish again with 'rostrum build'"
            )
        if "error" in line:
            raise QueryFailed(f"sql: {line['error']}")
        if "refused" in line:
            raise QueryFailed(
                f"sql: {line['refused']} is not run here, only queries are: select, from, with, "
                "pivot, describe, show, summarize, explain"
            )
        if "failed" in line:
            if line["failed"] == "size":
                raise QueryFailed(_too_large(limits))
            message = f"sql: the query needs more than {limits.memory} of memory; {_ADVICE}"
            raise QueryFailed(message)
        columns, types = line.get("columns", columns), line.get("types", types)
        rows.extend(map(tuple, line.get("rows", ())))
        truncated = line.get("truncated", truncated)
    return Result(columns=columns, types=types, rows=rows, truncated=truncated)


def _stopped(limits: Limits) -> str:
    return f"sql: stopped after {limits.seconds:g} s; {_ADVICE}"


def _too_large(limits: Limits) -> str:
    return f"sql: the answer is larger than {limits.answer_bytes / 1e6:.3g} MB; {_ADVICE}"


def _untagged(what: dict[str, Any]) -> Any:
    """Replace a tagged object by its value; lines have other keys."""
    if len(what) == 1:
        ((tag, value),) = what.items()
        if tag in _UNTAGGED:
            return _UNTAGGED[tag](value)
    return what


def _hashable(key: Any) -> Any:
    return str(key) if isinstance(key, dict | list) else key
