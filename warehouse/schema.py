"""The schema of the build database: DDL for a new one, forward-only migrations for an older one.

The DDL follows from the records. A migration is a file in `migrations/`, applied in a transaction;
later work adds one with the next number and never edits one that has been released.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from warehouse import raw
from warehouse.errors import SchemaTooNew

MIGRATIONS: tuple[str, ...] = tuple(
    path.read_text(encoding="utf-8")
    for path in sorted(Path(__file__).with_name("migrations").glob("*.sql"))
)

_AUDIT = """
create schema audit;
create table audit.builds (
    build_id bigint primary key, started_at timestamp not null, finished_at timestamp,
    invocation_id varchar, raw_load_id bigint not null, project_hash varchar not null,
    expected_count bigint, passed_count bigint, problems varchar not null
);
create table audit.nodes (
    unique_id varchar primary key, fingerprint varchar not null, build_id bigint not null
);
"""


def utc_now() -> datetime:
    """Return the time in UTC without a zone, as every `_at` column holds it."""
    return datetime.now(UTC).replace(tzinfo=None)


def migrate(
    connection: duckdb.DuckDBPyConnection, written: Callable[[str], str] | None = None
) -> None:
    """Bring the build database to this version's schema.

    Args:
        connection: The build database.
        written: Returns a migration's SQL as a lake takes it.

    Raises:
        SchemaTooNew: It was written by a later version of Rostrum.
    """
    connection.execute(
        "create table if not exists main.schema_version "
        "(version integer not null, migrated_at timestamp not null)"
    )
    found = schema_version(connection)
    if found > len(MIGRATIONS):
        message = (
            f"warehouse: the build database has schema version {found}, this Rostrum knows "
            f"{len(MIGRATIONS)}; use the newer Rostrum, or another home"
        )
        raise SchemaTooNew(message)
    missing = range(found + 1, len(MIGRATIONS) + 1)
    if found == 0:
        with one_transaction(connection):
            statements = raw.create_tables() + _AUDIT
            connection.execute(written(statements) if written else statements)
            _note(connection, missing)
    for version in missing if found else ():
        statements = MIGRATIONS[version - 1]
        with one_transaction(connection):
            connection.execute(written(statements) if written else statements)
            _note(connection, [version])
    _renew_views(connection)


def _note(connection: duckdb.DuckDBPyConnection, versions: Iterable[int]) -> None:
    connection.execute(
        "insert into main.schema_version select unnest(?), ?", [list(versions), utc_now()]
    )


def _renew_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the typed views again where a record has changed since."""
    connection.execute("create table if not exists main.raw_views (definition varchar not null)")
    views = raw.create_views()
    wanted = hashlib.sha256(views.encode()).hexdigest()
    if connection.execute("from main.raw_views").fetchall() == [(wanted,)]:
        return
    with one_transaction(connection):
        connection.execute(views)
        connection.execute("delete from main.raw_views")
        connection.execute("insert into main.raw_views values (?)", [wanted])


@contextmanager
def one_transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit everything done inside, or, on any error, nothing."""
    connection.execute("begin")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        # A commit that failed has ended the transaction already; its error is the one to tell.
        with suppress(duckdb.TransactionException):
            connection.execute("rollback")
        raise


def schema_version(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the number of migrations this database has had."""
    row = connection.execute("select coalesce(max(version), 0) from main.schema_version").fetchone()
    return int(row[0]) if row else 0


def raw_load_id(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the newest load's number: raw is unchanged as long as this is."""
    row = connection.execute("select coalesce(max(load_id), 0) from raw.loads").fetchone()
    return int(row[0]) if row else 0
