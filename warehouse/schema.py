"""The raw schema: forward-only migrations in `migrations/`, in order, each in a transaction.

A new database is made in one transaction.
Later work adds a file with the next number and never edits one that has been released.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from warehouse.errors import SchemaTooNew

MIGRATIONS: tuple[str, ...] = tuple(
    path.read_text(encoding="utf-8")
    for path in sorted(Path(__file__).with_name("migrations").glob("*.sql"))
)


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
    missing = list(range(found + 1, len(MIGRATIONS) + 1))
    # A new database has no rows to keep: in one transaction it is made in a third of the time.
    for versions in [missing] if found == 0 else [[version] for version in missing]:
        with one_transaction(connection):
            for version in versions:
                statements = MIGRATIONS[version - 1]
                connection.execute(written(statements) if written else statements)
            connection.execute(
                "insert into main.schema_version select unnest(?), ?", [versions, utc_now()]
            )


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
