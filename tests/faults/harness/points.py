"""Named fault points: every write, fsync, rename and SQL statement a stage makes in its home or lake.

`install` wraps the calls Python code can make; `arm` decides what happens at them in this process.
A recording run lists the points, so none can be forgotten when the product changes. What DuckDB
itself writes does not pass through Python: `native.c` has those.

A point is called `<operation> <path or statement> <before|half|after> #<occurrence>`. "half" is a
write of which only the first half reached the file.
"""

from __future__ import annotations

import builtins
import errno
import io
import json
import os
import re
import signal
import stat
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from tests.faults.harness import native
from tests.faults.harness.snapshot import raw_rows
from warehouse.lake.locks import Session
from warehouse.lake.settings import SETTING


class Plan(NamedTuple):
    """What shall happen in a process.

    Attributes:
        mode: `none`, `record`, `kill` or `full` (the disk is full from the point on).
        layer: `python` (named points) or `native` (numbered calls of DuckDB).
        point: Name, or number as text.
        log: Where `record` writes its points, a line each.
        once: In mode `full`: only this one call fails.
    """

    mode: str = "none"
    layer: str = "python"
    point: str = ""
    log: str = ""
    once: bool = False


_plan = Plan()
_home = ""
_seen: Counter[str] = Counter()
_full = threading.Event()
_paths: dict[int, str] = {}
_guard = threading.RLock()
_inside = threading.local()

_TEMPORARY = (
    (re.compile(r"v\d{6}-\d{8}T\d{6}Z"), "<version>"),
    (re.compile(r"[0-9a-f]{64}"), "<sha256>"),
    (re.compile(r"\.\d+(-[0-9a-f]+)?\.part"), ".<pid>.part"),
    (re.compile(r"--[0-9a-f]{8}\b"), "--<hash>"),
)


def normal(text: str) -> str:
    """Return a path without what differs from run to run."""
    for pattern, name in _TEMPORARY:
        text = pattern.sub(name, text)
    return text


def arm(plan: Plan, home: Path) -> None:
    """Let the plan hold in this process from now on."""
    global _plan, _home
    _plan, _home = plan, str(home)
    _full.clear()
    _seen.clear()
    if plan.layer == "native":
        native.arm(plan.mode, int(plan.point or 0), plan.log, plan.once)


def _inner(path: Any) -> str | None:
    """Return a path relative to the home, None outside it."""
    if isinstance(path, int):
        path = _paths.get(path, "")
    text = os.path.abspath(os.fsdecode(os.fspath(path)))
    return normal(text[len(_home) + 1 :]) if _home and text.startswith(_home + "/") else None


def _reached(name: str) -> bool:
    """Count a point and say whether it is the planned one."""
    with _guard:
        _seen[name] += 1
        name = f"{name} #{_seen[name]}"
        if _plan.mode == "record":
            with _open(_plan.log, "a", encoding="utf-8") as log:
                log.write(name + "\n")
        return name == _plan.point


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _around(
    name: str, call: Callable[[], Any], half: Callable[[], Any] | None = None, *, disk: bool = True
) -> Any:
    """Make a call with a point before it, one in its middle where it has one, and one after it."""
    if _plan.mode == "none" or _plan.layer != "python" or getattr(_inside, "busy", False):
        return call()
    _inside.busy = True
    try:
        is_here = _reached(f"{name} before")
        if is_here and _plan.mode == "kill":
            _die()
        if _plan.mode == "full" and disk and (is_here or _full.is_set()):
            if not _plan.once:
                _full.set()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if half is not None and _reached(f"{name} half") and _plan.mode == "kill":
            half()
            _die()
    finally:
        _inside.busy = False
    result = call()
    _inside.busy = True
    try:
        if _reached(f"{name} after") and _plan.mode == "kill":
            _die()
    finally:
        _inside.busy = False
    return result


_open = io.open
_os = {
    name: getattr(os, name)
    for name in (
        "open",
        "close",
        "write",
        "pwrite",
        "fsync",
        "fdatasync",
        "replace",
        "rename",
        "link",
        "symlink",
        "unlink",
        "remove",
        "mkdir",
        "truncate",
        "ftruncate",
        "sendfile",
    )
    if hasattr(os, name)
}


def _patched_open(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
    place = None if isinstance(file, int) or mode.strip("btU") == "r" else _inner(file)
    if place is None or _plan.layer != "python" or getattr(_inside, "busy", False):
        return _open(file, mode, *rest, **named)
    opened = (
        _open(file, mode, *rest, **named)
        if os.path.exists(file)
        else _around(f"create {place}", lambda: _open(file, mode, *rest, **named))
    )
    _paths[opened.fileno()] = os.fspath(file)
    write = opened.write

    def flushed(data: Any) -> Any:
        done = write(data)
        opened.flush()
        return done

    opened.write = lambda data: _around(
        f"write {place}", lambda: flushed(data), lambda: flushed(data[: len(data) // 2])
    )
    return opened


def _patched_os_open(path: Any, flags: int, *rest: Any, **named: Any) -> int:
    def call() -> int:
        return _os["open"](path, flags, *rest, **named)

    place = None if named.get("dir_fd") is not None else _inner(path)
    if place is not None and flags & os.O_CREAT and not os.path.exists(path):
        handle = _around(f"create {place}", call)
    else:
        handle = call()
    if place is not None:
        _paths[handle] = os.fspath(path)
    return handle


def _patched_close(handle: int) -> None:
    _paths.pop(handle, None)
    _os["close"](handle)


def _patched_write(name: str) -> Callable[..., int]:
    def patched(handle: int, data: Any, *rest: Any) -> int:
        def call() -> int:
            return _os[name](handle, data, *rest)

        place = _inner(handle)
        if place is None or not stat.S_ISREG(os.fstat(handle).st_mode):
            return call()
        part = bytes(data)[: len(data) // 2]
        return _around(f"{name} {place}", call, lambda: _os[name](handle, part, *rest))

    return patched


def _patched_path(name: str, at: int, *, disk: bool) -> Callable[..., Any]:
    """Wrap a function whose argument number `at` is the path (or file descriptor) it changes."""

    def patched(*arguments: Any, **named: Any) -> Any:
        def call() -> Any:
            return _os[name](*arguments, **named)

        if any(key.endswith("dir_fd") and value is not None for key, value in named.items()):
            return call()
        place = _inner(getattr(arguments[at], "fileno", lambda: arguments[at])())
        if place is None or (name == "mkdir" and os.path.isdir(arguments[at])):
            return call()
        return _around(f"{name} {place}", call, disk=disk)

    return patched


class _Connection:
    """A DuckDB connection with a point before and after each statement."""

    def __init__(self, inner: duckdb.DuckDBPyConnection) -> None:
        self._inner_connection = inner

    def execute(self, sql: str, *rest: Any, **named: Any) -> Any:
        words = " ".join(re.sub(r"'[^']*'", "'…'", sql).split()[:4]).lower()
        is_looking = words.startswith(("select", "with", "from", "describe"))
        inner = self._inner_connection

        def call() -> Any:
            return inner.execute(sql, *rest, **named)

        if is_looking:
            return call()
        result = _around(f"execute {words}", call, disk=False)
        if words == "commit" and _plan.mode == "record" and _plan.layer == "python":
            with _open(_plan.log + ".states", "a", encoding="utf-8") as log:
                log.write(json.dumps(raw_rows(inner)) + "\n")
        return result

    def close(self) -> None:
        _around("close the build database", self._inner_connection.close, disk=False)

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner_connection, name)


def _patched_session(sql: str, call: Callable[[], Any]) -> Any:
    words = " ".join(sql.split()[:3]).lower()
    is_looking = words.startswith(("select", "set"))
    return call() if is_looking else _around(f"postgres {words}", call, disk=False)


def install() -> None:
    """Wrap every call that changes a file, for good. Nothing happens at the points until `arm`."""
    execute = Session.execute
    Session.execute = lambda session, sql, values=(): _patched_session(  # type: ignore[method-assign]
        sql, lambda: execute(session, sql, values)
    )
    builtins.open = io.open = _patched_open  # type: ignore[assignment]
    os.open, os.close = _patched_os_open, _patched_close
    os.write, os.pwrite = _patched_write("write"), _patched_write("pwrite")
    for name, at, disk in (
        ("fsync", 0, True),
        ("fdatasync", 0, True),
        ("replace", 1, True),
        ("rename", 1, True),
        ("link", 1, True),
        ("symlink", 1, True),
        ("mkdir", 0, True),
        ("sendfile", 0, True),
        ("unlink", 0, False),
        ("remove", 0, False),
        ("truncate", 0, False),
        ("ftruncate", 0, False),
    ):
        if name in _os:
            setattr(os, name, _patched_path(name, at, disk=disk))
    connect = duckdb.connect

    def connected(database: Any = ":memory:", *rest: Any, **named: Any) -> Any:
        inner = connect(database, *rest, **named)
        # An instance in memory attaches the lake, where there is one.
        is_lake = database == ":memory:" and SETTING in os.environ
        is_build = not named.get("read_only") and (is_lake or _inner(database) is not None)
        return _Connection(inner) if is_build else inner

    duckdb.connect = connected
