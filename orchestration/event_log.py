"""Dagster's event log in SQLite, without a transaction for each of a build's events.

A build has some thousand events: planned, started and ended, of each model and each test. Dagster
sets SQLAlchemy up and opens, commits and closes files for every one, a quarter of the time of a
small build. Here what was set up is kept, and events that come within a moment of each other are
one transaction. Then the files are closed: by that the web interface notices what is new. What
this process asks meanwhile it asks within the transaction, and what ends a run ends it as well. An
event that several tables hold is written out once.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from dagster._core.events import EVENT_TYPE_TO_PIPELINE_RUN_STATUS
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.event_log import sql_event_log
from dagster._core.storage.event_log.sqlite.sqlite_event_log import (
    INDEX_SHARD_NAME,
    SqliteEventLogStorage,
)
from dagster._serdes import ConfigurableClassData, serialize_value
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, StaticPool

_WAIT_S = 60
# The web interface looks into many runs in its life, and into few at a time.
_RUNS_KEPT = 8
# How long an event may be unseen by other processes, and may be lost by a kill.
_MOMENT_S = 0.2


class _Engines(NamedTuple):
    """What was set up for a shard: compiled statements are kept with it, open files are not.

    Attributes:
        writing: Opens the shard's file for each transaction and closes it after.
        reading: Keeps the index of all runs open, which is asked again and again.
    """

    writing: Engine
    reading: Engine

    def dispose(self) -> None:
        """Close what is open."""
        self.writing.dispose()
        self.reading.dispose()


class EventLog(SqliteEventLogStorage):
    """Where Dagster keeps its events, in the files and tables its own SQLite storage has."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, _Engines] = OrderedDict()
        # The transactions that are open, each on a connection of its own.
        self._writing: dict[str, Connection] = {}
        self._is_storing = False
        self._tables: set[str] = set()
        self._has_index_columns = False
        # What went wrong while nobody was there to be told.
        self._failure: Exception | None = None
        self._lock = threading.RLock()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> EventLog:
        """Return the storage that `dagster.yaml` describes."""
        return cls(inst_data=inst_data, **config_value)

    def dispose(self) -> None:
        """Close what is open."""
        self._settle()
        super().dispose()
        while self._engines:
            self._engines.popitem()[1].dispose()

    def store_event(self, event: EventLogEntry) -> None:
        """Store an event, in the transaction of those that came a moment before."""
        with self._lock:
            if self._failure is not None:
                failure, self._failure = self._failure, None
                raise failure
            self._is_storing = True
            try:
                super().store_event(event)
            finally:
                self._is_storing = False
            if event.is_dagster_event and (
                event.dagster_event_type in EVENT_TYPE_TO_PIPELINE_RUN_STATUS
            ):
                self._settle()

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        """Say whether the table of assets is as Dagster has made it for years, asked once."""
        if not self._has_index_columns:
            self._has_index_columns = super()._has_asset_key_index_cols_on_connection(conn)
        return self._has_index_columns

    def has_table(self, table_name: str) -> bool:
        """Say whether a table is there. Dagster asks at every test, and what is there stays."""
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._lock:
            if not self._is_storing and shard not in self._writing:
                engine = self._engines_of(shard).reading
                with engine.connect() as connection, connection.begin():
                    yield connection
                return
            if not self._writing:
                timer = threading.Timer(_MOMENT_S, self._settle_unasked)
                timer.daemon = True
                timer.start()
            if shard not in self._writing:
                self._writing[shard] = self._engines_of(shard).writing.connect()
                self._writing[shard].begin()
            yield self._writing[shard]

    def _settle_unasked(self) -> None:
        """Settle from the timer's thread; whoever stores the next event hears of a failure."""
        try:
            self._settle()
        except Exception as error:
            self._failure = error

    def _settle(self) -> None:
        """End the open transactions and close their connections."""
        with self._lock, ExitStack() as stack:
            ended, self._writing = self._writing, {}
            for connection in ended.values():
                stack.enter_context(connection)
            for connection in ended.values():
                connection.commit()

    def _engines_of(self, shard: str) -> _Engines:
        if shard not in self._engines:
            writing = reading = self._new_engine(shard, NullPool)
            self._initdb(writing)
            if shard == INDEX_SHARD_NAME:
                reading = self._new_engine(shard, StaticPool)
            self._engines[shard] = _Engines(writing, reading)
            runs = [name for name in self._engines if name != INDEX_SHARD_NAME]
            for name in runs[:-_RUNS_KEPT]:
                self._engines.pop(name).dispose()
        return self._engines[shard]

    def _new_engine(self, shard: str, pool: type[NullPool | StaticPool]) -> Engine:
        engine = create_engine(
            self.conn_string_for_shard(shard),
            poolclass=pool,
            # Threads take turns by the lock.
            connect_args={"timeout": _WAIT_S, "check_same_thread": False},
        )
        event.listen(engine, "connect", _trust_the_log_ahead)
        return engine


class _Written:
    """Writes a value out as Dagster does, and remembers the last one, which comes three times."""

    def __init__(self) -> None:
        self._last: tuple[Any, str] = (None, "")

    def __call__(self, value: Any, *arguments: Any, **named: Any) -> str:
        """Return the value's text."""
        if arguments or named or not isinstance(value, EventLogEntry):
            return serialize_value(value, *arguments, **named)
        last = self._last
        if last[0] is not value:
            last = self._last = (value, serialize_value(value))
        return last[1]


sql_event_log.serialize_value = _Written()  # type: ignore[attr-defined, assignment]


def _trust_the_log_ahead(connection: Any, _record: object) -> None:
    """Leave it to SQLite's write-ahead log when to wait for the disk.

    A loss of power may cost the last events, never the file: what Rostrum measures is not in it.
    """
    connection.execute("pragma synchronous = normal")
