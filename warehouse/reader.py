"""Readers of the published versions: always a whole version, never a lock, never a write."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import NothingPublished, QueryFailed, VersionGone
from warehouse.home import Home
from warehouse.lake.settings import lake_of

if TYPE_CHECKING:
    # Whoever only asks which versions there are does without.
    import duckdb
    import pyarrow as pa

FILE = ".duckdb"
VERSION_NAME = re.compile(r"(v(\d{6})-(\d{8}T\d{6}Z))\.duckdb")
MEMORY_LIMIT = "1GB"
# Between opening an instance and closing it off nobody else may take it for closed off.
_OPENING = threading.Lock()


@dataclass(frozen=True)
class Version:
    """One published version.

    Attributes:
        name: For example `v000003-20261121T070000Z`; sorts by age.
        path: The immutable database file.
        published_at: When it was published, UTC.
    """

    name: str
    path: Path
    published_at: datetime

    @property
    def number(self) -> int:
        """Counts up from 1 with every publication of a home."""
        return int(self.name[1:7])


@dataclass(frozen=True)
class Result:
    """What a query gave.

    Attributes:
        columns: Names, in order.
        types: DuckDB's type names, in order.
        rows: The rows, at most as many as were asked for.
        truncated: Whether there were more.
    """

    columns: list[str]
    types: list[str]
    rows: list[tuple[Any, ...]]
    truncated: bool

    def arrow(self) -> pa.Table:
        """Return the rows as an Arrow table of the same columns."""
        import pyarrow as pa

        # From lists, not from a dictionary: a query may name two columns alike.
        return pa.Table.from_arrays(
            [pa.array([row[at] for row in self.rows]) for at in range(len(self.columns))],
            names=self.columns,
        )


def published_versions(home: Home) -> list[Version]:
    """Return every published version that is still kept, oldest first."""
    if lake := lake_of(home):
        from warehouse.lake.versions import fetched

        return [_version(path.stem, path) for path in fetched(lake, home.published)]
    found = [
        _version(match[1], path)
        for path in home.published.glob("v*.duckdb")
        if (match := VERSION_NAME.fullmatch(path.name))
    ]
    return sorted(found, key=lambda version: version.name)


def _version(name: str, path: Path) -> Version:
    at = datetime.strptime(name.partition("-")[2], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return Version(name, path, at)


def current_version(home: Home) -> Version:
    """Return the version readers should see now.

    Raises:
        NothingPublished: There is none yet.
    """
    if lake_of(home):
        if kept := published_versions(home):
            return kept[-1]
    elif home.current.is_symlink():
        # The link alone: a version published after a listing of the folder would not be in it.
        file = home.published / home.current.readlink().name
        if (match := VERSION_NAME.fullmatch(file.name)) and file.is_file():
            return _version(match[1], file)
    message = (
        f"warehouse: nothing is published in {home.root}; run 'rostrum demo', or 'rostrum ingest'"
    )
    raise NothingPublished(message)


def connect(version: Version, *, can_search: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a version read-only, with no way to any other file and no setting that can change that.

    All connections of a process share one instance per version while one of them is open, so the
    first says whether the full-text index can be used.

    Args:
        version: What to open.
        can_search: Load the full-text extension first, which takes a tenth of a second.

    Raises:
        VersionGone: The file has been pruned since it was looked up.
    """
    import duckdb

    from warehouse.lake.versions import open_version
    from warehouse.search import index_of

    try:
        with _OPENING:
            connection = open_version(
                version.path,
                {
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                    "memory_limit": MEMORY_LIMIT,
                },
                index_of(version.path) if can_search else None,
            )
            _close_off(connection, can_search=can_search)
            return connection
    except duckdb.IOException as error:
        if version.path.exists():
            raise
        message = f"warehouse: version {version.name} has been pruned; look up the current one"
        raise VersionGone(message) from error


def _close_off(connection: duckdb.DuckDBPyConnection, *, can_search: bool) -> None:
    """Take every way to other files from an instance, once: from then on nothing can be set."""
    is_locked = connection.execute("select current_setting('lock_configuration')").fetchone()
    if is_locked == (True,):
        return
    try:
        if can_search:
            from warehouse.search import load_search

            load_search(connection)
    finally:
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")


def run_query(
    version: Version, sql: str, parameters: Sequence[Any] | dict[str, Any] | None = None
) -> Result:
    """Run one of Rostrum's own queries over a version; a reader's go through `free_sql`.

    Args:
        version: The version to read.
        sql: DuckDB SQL; `from rpt_rank_agreement` is enough to see a table.
        parameters: Values for the query's placeholders.

    Raises:
        VersionGone: The version has been pruned since it was looked up.
        QueryFailed: The query is wrong, or tried to write or to leave the file.
    """
    import duckdb

    connection = connect(version)
    try:
        connection.execute(sql, parameters)
        described = connection.description or []
        rows = connection.fetchall()
    except duckdb.Error as error:
        raise QueryFailed(f"sql: {error}") from error
    finally:
        connection.close()
    return Result(
        columns=[column[0] for column in described],
        types=[str(column[1]) for column in described],
        rows=rows,
        truncated=False,
    )
