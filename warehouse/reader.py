"""Readers of the published versions: always a whole version, without locks and writes."""

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
    # Lists of versions do not need them.
    import duckdb
    import pyarrow as pa

FILE = ".duckdb"
VERSION_NAME = re.compile(r"(v(\d{6})-(\d{8}T\d{6}Z))\.duckdb")
MEMORY_LIMIT = "1GB"
# Held until a new instance is closed off.
_OPENING = threading.Lock()


@dataclass(frozen=True)
class Version:
    """One published version.

    Attributes:
        name: For example `v000003-20261121T070000Z`; sorts by age.
    """

    name: str
    path: Path
    published_at: datetime

    @property
    def number(self) -> int:
        """Number of the publication, from 1."""
        return int(self.name[1:7])


@dataclass(frozen=True)
class Result:
    """Rows of a query; `truncated` if there were more."""

    columns: list[str]
    types: list[str]
    rows: list[tuple[Any, ...]]
    truncated: bool

    def arrow(self) -> pa.Table:
        """Return the rows as an Arrow table of the same columns."""
        import pyarrow as pa

        # Not from a dictionary: two columns may have the same name.
        return pa.Table.from_arrays(
            [pa.array([row[at] for row in self.rows]) for at in range(len(self.columns))],
            names=self.columns,
        )


def published_versions(home: Home) -> list[Version]:
    """Return the kept published versions, oldest first."""
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
    """Return the current version; raises NothingPublished if there is none."""
    if lake_of(home):
        if kept := published_versions(home):
            return kept[-1]
    elif home.current.is_symlink():
        # Only the link: a listing of the folder could be older.
        file = home.published / home.current.readlink().name
        if (match := VERSION_NAME.fullmatch(file.name)) and file.is_file():
            return _version(match[1], file)
    raise NothingPublished(
        f"warehouse: nothing is published in {home.root}; run 'rostrum demo', or 'rostrum ingest'"
    )


def connect(version: Version, *, can_search: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a version read-only, without access to other files and with settings locked.

    Connections of a process share one instance per version while one of them is open, so the first
    decides about the full-text index.

    Args:
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
    """Disable an instance's access to other files and lock its settings, once."""
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
    """Run one of Rostrum's own queries over a version; users' queries go through `free_sql`.

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
