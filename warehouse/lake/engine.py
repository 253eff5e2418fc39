"""DuckDB on a lake: its extensions, the store's key, and the catalog attached under one name.

A lake of builds is attached as `build`, the name of the file's own catalog, so that users of the
connection need not distinguish the two.
"""

import os
import re
from pathlib import Path
from urllib.parse import urlparse

import duckdb

from warehouse.errors import LakeError
from warehouse.lake.settings import Lake, explained, extension_file, not_installed
from warehouse.safe_text import sql_text

CATALOG, PINNED = "build", "build_raw"
_SCHEMA = "rostrum_build"
# A lake has no keys: one load at a time checks each key, and dbt tests it.
_KEYS = re.compile(r"\s*,\s*primary key\s*\([^)]*\)|\s+primary key", re.IGNORECASE)
EXTENSIONS = ("ducklake", "httpfs")
# Values of each table to look up after a load.
_LOOKED_UP = 20
# Tables of raw that were written since a snapshot, with their first column.
_WRITTEN = """
    with written as (
        select unnest(
            list_concat(
                coalesce(changes['tables_inserted_into'], []),
                coalesce(changes['inlined_insert'], [])
            )
        )::bigint as table_id
        from ducklake_snapshots('build')
        where snapshot_id > ?
    )
    select
        table_name,
        arg_min(column_name, column_index) filter (column_name != 'kind'),
        bool_or(column_name = '_loaded_at')
    from duckdb_columns()
    where database_name = 'build'
        and schema_name = 'raw'
        and table_name in (
            select known.table_name
            from __ducklake_metadata_build.rostrum_build.ducklake_table as known
            where known.end_snapshot is null and known.table_id in (select table_id from written)
        )
    group by table_name
"""
# Another writer may commit first so many times in a row.
_RETRIES = 100


def extension_files(*names: str) -> list[str]:
    """Return the files of DuckDB's extensions, which packages have installed."""
    found = [extension_file(name) for name in names]
    if None in found:
        raise not_installed()
    return [str(path) for path in found]


def store_secret() -> str:
    """Return SQL with the key of the store from the environment; empty without one."""
    environment = os.environ
    key = environment.get("AWS_ACCESS_KEY_ID")
    if not key:
        return ""
    values = {
        "key_id": key,
        "secret": environment.get("AWS_SECRET_ACCESS_KEY", ""),
        "session_token": environment.get("AWS_SESSION_TOKEN", ""),
        "region": environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION", ""),
    }
    address = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL", "")
    if address:
        parsed = urlparse(address)
        values |= {"endpoint": parsed.netloc + parsed.path.rstrip("/"), "url_style": "path"}
        values["use_ssl"] = str(parsed.scheme != "http").lower()
    settings = ", ".join(f"{name} {sql_text(value)}" for name, value in values.items() if value)
    return f"create or replace secret rostrum_store (type s3, {settings})"


def prepare(connection: duckdb.DuckDBPyConnection, *more: str) -> None:
    """Load a lake's extensions and the key of its store into a connection."""
    for path in extension_files(*more, *EXTENSIONS):
        connection.execute(f"load {sql_text(path)}")
    if secret := store_secret():
        connection.execute(secret)


def open_build(lake: Lake, spill: Path, pin: int | None) -> duckdb.DuckDBPyConnection:
    """Open the lake of builds for writing.

    Args:
        pin: The snapshot of raw tables to read in place of the present ones.

    Raises:
        LakeError: It cannot be reached, or is of another version.
    """
    connection = duckdb.connect(config={"temp_directory": str(spill)})
    try:
        connection.execute("set enable_progress_bar = false")
        attach_build(connection, lake, pin)
        # Not in dbt's connection, which names the catalog of every table.
        raw = "" if pin is None else f",{PINNED}.raw"
        connection.execute(f"set search_path = '{CATALOG}.main{raw}'")
    except BaseException:
        connection.close()
        raise
    return connection


def attach_build(connection: duckdb.DuckDBPyConnection, lake: Lake, pin: int | None) -> None:
    """Attach the lake of builds as `build`, and its raw tables at a snapshot as `build_raw`."""
    lake.allow()
    if "://" not in lake.data:
        Path(lake.build_data).mkdir(parents=True, exist_ok=True)
    with explained(lake):
        prepare(connection, "postgres_scanner")
        connection.execute(f"set ducklake_max_retry_count = {_RETRIES}")
        address = sql_text(f"ducklake:postgres:{lake.postgres}")
        place = f"metadata_schema {sql_text(_SCHEMA)}"
        data = f"data_path {sql_text(lake.build_data)}"
        connection.execute(f"attach {address} as {CATALOG} ({place}, {data})")
        if pin is not None:
            connection.execute(
                f"attach {address} as {PINNED} ({place}, snapshot_version {pin}, read_only)"
            )


def newest_snapshot(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the number of the newest snapshot, of the last committed load or build."""
    row = connection.execute(f"from ducklake_current_snapshot('{CATALOG}')").fetchone()
    return int(row[0]) if row else 0


def check_loaded(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Check rows written to raw since a snapshot, under the lock of loads.

    A table's rows are counted by reading them and by its statistics; the first columns' values of
    its newest rows are looked up with the statistics of its files and without.

    Raises:
        LakeError: Two answers differ: the statistics of the catalog are wrong.
    """
    for table, column, is_dated in connection.execute(_WRITTEN, [since]).fetchall():
        newest = "order by _loaded_at desc" if is_dated else ""
        looked_up = connection.execute(
            f'select list("{column}") from (select "{column}" from raw."{table}" '
            f'where "{column}" is not null {newest} limit {_LOOKED_UP})'
        ).fetchone()
        values = (looked_up and looked_up[0]) or []
        marks = ", ".join("?" * len(values)) or "null"
        row = connection.execute(
            f'select (select count(*) from raw."{table}"), '
            f'(select count(*) from raw."{table}" where "{column}" in ({marks})), '
            f'count(*), count(*) filter (list_contains(?, "{column}")) from raw."{table}"',
            [*values, values],
        ).fetchone()
        counted, found, read, there = row or (0, 0, 0, 0)
        if (counted, found) != (read, there):
            raise LakeError(
                f"lake: the statistics of raw.{table} are wrong: they give {counted:,} rows and "
                f"{found:,} of the newest, and there are {read:,} and {there:,}; do not build from "
                "it: move the home back to a file with 'rostrum warehouse move', which reads every "
                "row, and to the lake again"
            )


def without_keys(statements: str) -> str:
    """Return a migration's SQL for a lake, where `not null` is the only constraint."""
    return _KEYS.sub("", statements)
