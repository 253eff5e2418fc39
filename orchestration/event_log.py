"""Dagster's event log in SQLite, without a connection made anew for each of a build's events.

A build has some thousand events: planned, started and ended, of each model and each test. Dagster
sets SQLAlchemy up and opens, commits and closes a file for every one, a sixth of the processor time
of a small build. Here what was set up is kept, and so is the connection to the index of all runs. A
run's own file is still closed after each event: by that the web interface notices what is new.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster._core.storage.event_log.sqlite.sqlite_event_log import (
    INDEX_SHARD_NAME,
    SqliteEventLogStorage,
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, StaticPool

_WAIT_S = 60
# The web interface looks into many runs in its life, and into few at a time.
_RUNS_KEPT = 8


class EventLog(SqliteEventLogStorage):
    """Where Dagster keeps its events, in the files and tables its own SQLite storage has."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> EventLog:
        """Return the storage that `dagster.yaml` describes."""
        return cls(inst_data=inst_data, **config_value)

    def dispose(self) -> None:
        """Close what is open."""
        super().dispose()
        while self._engines:
            self._engines.popitem()[1].dispose()

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock, self._engine_of(shard).connect() as connection, connection.begin():
            yield connection

    def _engine_of(self, shard: str) -> Engine:
        if shard not in self._engines:
            engine = self._new_engine(shard, NullPool)
            self._initdb(engine)
            if shard == INDEX_SHARD_NAME:
                engine = self._new_engine(shard, StaticPool)
            self._engines[shard] = engine
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


def _trust_the_log_ahead(connection: Any, _record: object) -> None:
    """Leave it to SQLite's write-ahead log when to wait for the disk.

    A loss of power may cost the last events, never the file: what Rostrum measures is not in it.
    """
    connection.execute("pragma synchronous = normal")
