"""The one writer of the build database.

Two locks exclude a second writer. Ours is a kernel file lock that ends with its process and names
its holder. DuckDB's own protects the file itself: a dbt child holds it a moment longer than a
killed command holds ours, so writers wait for both, and both name their holder.
"""

import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

import duckdb

from warehouse import schema
from warehouse.build_file import connect, copied, explained_when_damaged
from warehouse.errors import LakeError, NotEnoughSpace
from warehouse.files import is_disk_full
from warehouse.home import Home
from warehouse.lake.engine import check_loaded, newest_snapshot, open_build, without_keys
from warehouse.lake.locks import BUILD, LOAD, Session, held, holder_of, watched
from warehouse.lake.settings import Lake, explained, lake_of, masked
from warehouse.waiting import POLL_S, WAIT_S, Held, say_nothing, wait_for

# A stream of loads must not delay publishing for longer.
_GIVE_WAY_S = 30.0
# Locks of this process, by file and thread.
_held: set[tuple[Path, int]] = set()


class Building(NamedTuple):
    """A build of a lake by this process.

    Attributes:
        pin: The snapshot whose raw tables it reads.
    """

    session: Session
    pin: int


_building_now: dict[Lake, Building] = {}


@contextmanager
def write_lock(
    home: Home,
    purpose: str,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> Iterator[None]:
    """Hold the home's writer lock, waiting for its holder.

    A holder may take it again, so that several steps run under one lock. A file has a copy
    meanwhile, for the next writer after a kill.

    Args:
        purpose: This writer's work, for the message of those who wait.

    Raises:
        WarehouseBusy: The lock was not free in time. Names the holder.
        WarehouseDamaged: A killed writer left a file that cannot be read, and no copy.
        NotEnoughSpace: The disk ran full while the lock was held.
    """
    mine = (home.build_lock, threading.get_ident())
    if mine in _held:
        yield
        return
    if lake := lake_of(home):
        with (
            _explained_when_full(home, purpose),
            _building(home, lake, purpose, wait_s=wait_s, notify=notify),
        ):
            yield
        return
    home.build_lock.parent.mkdir(parents=True, exist_ok=True)
    with _explained_when_full(home, purpose), home.build_lock.open("a+") as handle:
        _wait_for_lock(handle, home.build_lock, wait_s, notify)
        # A writer that ends removes its name; one that is there belongs to a killed writer.
        handle.seek(0)
        killed = _holder_text(handle.read())
        handle.seek(0)
        handle.truncate()
        since = datetime.now(UTC).isoformat(timespec="seconds")
        handle.write(json.dumps({"pid": os.getpid(), "purpose": purpose, "since": since}))
        handle.flush()
        _held.add(mine)
        try:
            with copied(home, killed, wait_s=wait_s, notify=notify):
                yield
        finally:
            _held.discard(mine)
            handle.seek(0)
            handle.truncate()
            handle.flush()
            fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def _building(
    home: Home, lake: Lake, purpose: str, *, wait_s: float, notify: Callable[[str], None]
) -> Iterator[None]:
    """Hold the lock of a lake's one builder, and stop when Postgres ends it."""
    is_lost = threading.Event()

    def stop() -> None:
        is_lost.set()
        # A signal also ends the wait for dbt's next message.
        signal.pthread_kill(int(threading.main_thread().ident or 0), signal.SIGINT)

    with held(lake, BUILD, purpose, wait_s=wait_s, notify=notify) as session:
        mine = (home.build_lock, threading.get_ident())
        pin = _snapshot(home, purpose, wait_s=wait_s, notify=notify)
        _building_now[lake] = Building(session, pin)
        _held.add(mine)
        # Shells start background jobs so; the signal would not end the build.
        is_deaf = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        )
        if is_deaf:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with watched(lake, session, stop):
                yield
        except BaseException as error:
            # Dagster raises an error of its own for the signal.
            if not is_lost.is_set():
                raise
            raise LakeError(
                "lake: Postgres ended the session that held the builder's lock, so this build was "
                "stopped; run it again. The version published before is untouched"
            ) from error
        finally:
            if is_deaf:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            _held.discard(mine)
            del _building_now[lake]


def settle_raw(home: Home) -> None:
    """Build from the raw tables as they are now, even if others load meanwhile.

    The caller holds the writer lock. A file's lock keeps others from loading anyway.
    """
    lake = lake_of(home)
    if lake and lake in _building_now:
        pin = _snapshot(home, "build")
        _building_now[lake] = _building_now[lake]._replace(pin=pin)


def _snapshot(
    home: Home,
    purpose: str,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> int:
    """Bring a lake's schema up to date and return its newest snapshot."""
    with open_writer(home, purpose, wait_s=wait_s, notify=notify) as connection:
        return newest_snapshot(connection)


def building_now(home: Home) -> tuple[Lake, Building] | None:
    """Return the lake that this process builds, if any."""
    lake = lake_of(home)
    return (lake, _building_now[lake]) if lake and lake in _building_now else None


@contextmanager
def _explained_when_full(home: Home, purpose: str) -> Iterator[None]:
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if not is_disk_full(error):
            raise
        raise NotEnoughSpace(
            f"warehouse: {full_disk(home, error)} ({purpose}); free some space and run this again. "
            "What was loaded and published before is as it was"
        ) from error


def full_disk(home: Home, error: Exception) -> str:
    """Name the full disk; for a lake the candidates, with DuckDB's error."""
    lake = lake_of(home)
    if lake is None:
        return f"the disk of {home.root} is full"
    said = str(error).strip().splitlines()[0]
    return f"the disk of {lake.data}, of {home.root} or of Postgres is full: {masked(said)}"


@contextmanager
def _explained_when_ended(session: Session) -> Iterator[None]:
    """Report a lost session in place of DuckDB's error, which names a statement."""
    try:
        yield
    except duckdb.Error:
        session.execute("select 1")
        raise


def _wait_for_lock(
    handle: IO[str], path: Path, wait_s: float, notify: Callable[[str], None]
) -> None:
    def attempt(left: float) -> None:
        del left
        if not _take(handle):
            raise Held(lock_holder(path) or "another process")

    if _take(handle):
        return
    with _queue(path).open("a") as place:
        fcntl.flock(place, fcntl.LOCK_SH)
        wait_for(attempt, wait_s=wait_s, notify=notify)


def _take(handle: IO[str]) -> bool:
    """Take a lock if it is free, and return whether it was."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _queue(lock: Path) -> Path:
    """Return the file on which waiters for the writer lock hold a shared lock."""
    return lock.with_suffix(".queue")


def give_way(home: Home) -> None:
    """Wait while others wait to write, so that one build covers all their loads."""
    if lake_of(home):
        return
    deadline = time.monotonic() + _GIVE_WAY_S
    with _queue(home.build_lock).open("a") as handle:
        while not _take(handle) and time.monotonic() < deadline:
            time.sleep(POLL_S)


def writer_of(home: Home) -> str | None:
    """Return the writer of a home's warehouse, if any."""
    lake = lake_of(home)
    return holder_of(lake) if lake else lock_holder(home.build_lock)


def lock_holder(path: Path) -> str | None:
    """Return the holder of the writer lock, if any."""
    try:
        with path.open("r") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                text = handle.read()
            else:
                fcntl.flock(handle, fcntl.LOCK_UN)
                return None
    except FileNotFoundError:
        return None
    # The holder may have the lock and not have written its name yet.
    return _holder_text(text) or "another process"


def _holder_text(text: str) -> str | None:
    """Return the holder named in a lock file, if any."""
    try:
        record = json.loads(text)
    except json.JSONDecodeError:
        return None
    return f"process {record['pid']} ({record['purpose']}, since {record['since']})"


@contextmanager
def open_writer(
    home: Home,
    purpose: str,
    *,
    wait_s: float = WAIT_S,
    notify: Callable[[str], None] = say_nothing,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the build database for writing, with its schema up to date.

    At the end it is checkpointed and closed, so that the file alone is the whole database and
    another process may open it at once.

    Raises:
        WarehouseBusy: One of the locks was not free in time.
        SchemaTooNew: The file was written by a later version of Rostrum.
    """
    if lake := lake_of(home):
        with (
            _explained_when_full(home, purpose),
            held(lake, LOAD, purpose, wait_s=wait_s, notify=notify) as session,
            _explained_when_ended(session),
            _opened_lake(lake, home, None) as connection,
        ):
            yield connection
        return
    with (
        write_lock(home, purpose, wait_s=wait_s, notify=notify),
        open_file(home, wait_s=wait_s, notify=notify) as connection,
    ):
        yield connection


@contextmanager
def build_connection(
    home: Home, *, notify: Callable[[str], None] = say_nothing
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the build database under the writer lock, with the functions of the models.

    For work that opens the file several times under one lock; otherwise use `open_writer`.
    """
    # Imports NumPy and Arrow, which other users of this module do not need.
    from warehouse import functions

    if building := building_now(home):
        opened = _opened_lake(building[0], home, building[1].pin)
    else:
        opened = open_file(home, notify=notify)
    with opened as connection:
        functions.register(connection)
        yield connection


@contextmanager
def _opened_lake(lake: Lake, home: Home, pin: int | None) -> Iterator[duckdb.DuckDBPyConnection]:
    spill = home.root / "warehouse" / "spill"
    with explained(lake), open_build(lake, spill, pin) as connection:
        if pin is None:
            schema.migrate(connection, without_keys)
            before = newest_snapshot(connection)
        yield connection
        if pin is None:
            check_loaded(connection, before)


@contextmanager
def open_file(
    home: Home, *, wait_s: float = WAIT_S, notify: Callable[[str], None] = say_nothing
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the home's file under its lock, with its schema up to date.

    Raises:
        WarehouseDamaged: It cannot be read.
    """
    with (
        explained_when_damaged(home),
        connect(home, wait_s=wait_s, notify=notify) as connection,
    ):
        # A progress bar would break the command's own lines.
        connection.execute("set enable_progress_bar = false")
        schema.migrate(connection)
        yield connection
        connection.execute("checkpoint")
