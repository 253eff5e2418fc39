"""Locks of a lake: held by a session of Postgres, they end with it and name their holder.

A build holds the first while it runs, so that there is one builder. A load holds the second while
it writes, so that loads of many machines run one after another: DuckLake 1.0 can lose the
statistics of a file when two insert at once (ducklake#1094), and a look-up then misses rows.
Waiting is in Postgres's own queue, so that each of many loads gets its turn, and a build too.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from warehouse.errors import LakeError
from warehouse.lake.settings import Lake, masked, not_installed, unreachable
from warehouse.waiting import POLL_S, Held, wait_for

BUILD, LOAD = 1, 2
# Distinguishes these locks from those of other programs in the same database.
_SPACE = 0x526F73
_PARTS = 4
_UNNAMED = "another process"
_WATCH_S = 2.0
# Seconds for Postgres to come back after a restart or a power cut.
_PATIENCE_S = {
    "starting up": 60.0,
    "not yet accepting": 60.0,
    "shutting down": 10.0,
    "refused": 5.0,
}
# Machine and server give each other up after about a minute without a connection.
_KEEPALIVE = "-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=4"
_CUT_OFF_MS = 60_000
_HOLDER = """
    select application_name
    from pg_locks inner join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and classid = %s and objid = %s
        and pg_locks.database = (select oid from pg_database where datname = current_database())
"""


class Session:
    """A session of Postgres that holds one lock."""

    def __init__(self, lake: Lake, purpose: str) -> None:
        # A name has 63 bytes at most.
        self._name = f"{os.getpid()}|{socket.gethostname()[:20]}|{purpose[:16]}"
        self._connection = connect(lake)

    def execute(self, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows.

        Raises:
            LakeError: The session has ended, and its lock with it.
        """
        import psycopg2

        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql, values)
                return list(cursor.fetchall()) if cursor.description else []
        except psycopg2.errors.LockNotAvailable:
            raise
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            raise LakeError(
                "lake: the session that holds the lock has ended, and another machine may write "
                f"now; run this again ({masked(str(error)).strip()})"
            ) from None

    def take(self, key: int) -> bool:
        """Take a lock if it is free, and return whether it was."""
        is_mine = bool(self.execute("select pg_try_advisory_lock(%s, %s)", (_SPACE, key))[0][0])
        if is_mine:
            self._tell()
        return is_mine

    def queue(self, key: int, wait_s: float) -> bool:
        """Wait for a lock in its queue, and return whether it came in time."""
        import psycopg2

        # Zero means no limit.
        patience_ms = max(1, round(wait_s * 1000))

        def wait() -> bool:
            self.execute("set statement_timeout = 0; set lock_timeout = %s", (patience_ms,))
            try:
                self.execute("select pg_advisory_lock(%s, %s)", (_SPACE, key))
            except psycopg2.errors.LockNotAvailable:
                return False
            self.execute("set lock_timeout = 0")
            self._tell()
            return True

        # Libpq ignores signals while it waits; this thread does not.
        with futures.ThreadPoolExecutor(1, "queue of a lake") as threads:
            waiting = threads.submit(wait)
            try:
                return waiting.result()
            except BaseException:
                # Repeatedly: the statement may not have begun to wait.
                while not waiting.done():
                    with suppress(psycopg2.Error):
                        self._connection.cancel()
                    futures.wait([waiting], POLL_S)
                raise

    def _tell(self) -> None:
        self.execute("set application_name = %s", (f"{self._name}|{int(time.time())}",))

    def holder(self, key: int) -> str | None:
        """Return the holder of a lock, its machine and start; None without one."""
        found = self.execute(_HOLDER, (_SPACE, key))
        return _holder_text(found[0][0] or "") if found else None

    def close(self) -> None:
        """Release the lock, and end the session."""
        # Postgres would notice the end of a connection a moment later.
        with suppress(LakeError):
            self.execute("select pg_advisory_unlock_all()")
        self._connection.close()


def _holder_text(name: str) -> str:
    parts = name.split("|")
    if len(parts) != _PARTS:
        return _UNNAMED
    since = datetime.fromtimestamp(int(parts[3]), UTC).isoformat(timespec="seconds")
    return f"process {parts[0]} on {parts[1]} ({parts[2]}, since {since})"


def connect(lake: Lake) -> Any:
    """Open a session of Postgres, waiting for one that is just being started."""
    try:
        import psycopg2
    except ImportError as error:
        raise not_installed() from error
    lake.allow()
    began = time.monotonic()
    while True:
        try:
            connection = psycopg2.connect(
                lake.postgres,
                application_name="rostrum",
                options=_KEEPALIVE,
                tcp_user_timeout=_CUT_OFF_MS,
                connect_timeout=10,
            )
        except psycopg2.OperationalError as error:
            said = masked(str(error)).strip()
            # A wrong name or password stays wrong.
            patience = next((_PATIENCE_S[sign] for sign in _PATIENCE_S if sign in said), 0)
            if time.monotonic() - began >= patience:
                raise LakeError(f"{unreachable(lake)} ({said})") from None
            time.sleep(POLL_S)
        else:
            connection.autocommit = True
            return connection


@contextmanager
def held(
    lake: Lake, key: int, purpose: str, *, wait_s: float, notify: Callable[[str], None]
) -> Iterator[Session]:
    """Hold a lock, waiting for its holder.

    Raises:
        WarehouseBusy: The lock was not free in time. Names the holder.
        LakeError: Postgres does not answer, or ended the session while the lock was held.
    """
    session = Session(lake, purpose)

    def attempt(left: float) -> None:
        if not (session.queue(key, left) if left else session.take(key)):
            raise Held(session.holder(key) or _UNNAMED)

    try:
        wait_for(attempt, wait_s=wait_s, notify=notify)
        yield session
    finally:
        session.close()


@contextmanager
def watched(lake: Lake, session: Session, stop: Callable[[], None]) -> Iterator[None]:
    """Stop this process's work when the session that holds its lock has ended.

    Args:
        stop: Called once, from another thread.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(_WATCH_S):
            try:
                session.execute("select 1")
            except LakeError:
                if not is_over.is_set():
                    stop()
                return

    thread = threading.Thread(target=watch, daemon=True, name=f"lock of {lake.data}")
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def holder_of(lake: Lake) -> str | None:
    """Return the builder, or else the loader, if any."""
    session = Session(lake, "look")
    try:
        return session.holder(BUILD) or session.holder(LOAD)
    finally:
        session.close()
