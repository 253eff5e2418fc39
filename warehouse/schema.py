"""The raw schema: forward-only migrations in `migrations/`, in order, each in a transaction.

Later work adds a file with the next number and never edits one that has been released.
"""

from __future__ import annotations

import contextlib
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


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring the build database to this version's schema.

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
    for version, statements in enumerate(MIGRATIONS[found:], start=found + 1):
        connection.execute("begin")
        try:
            connection.execute(statements)
            connection.execute(
                "insert into main.schema_version values (?, ?)", [version, utc_now()]
            )
            connection.execute("commit")
        except BaseException:
            # A commit that failed has ended the transaction already; its error is the one to tell.
            with contextlib.suppress(duckdb.TransactionException):
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
