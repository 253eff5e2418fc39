"""Published versions of a lake: each has a catalog of its own, which is a row in Postgres.

The rows of a version's marts are in a folder of their own below `published/`; its catalog is a
small DuckLake file that names only these. Publishing writes that file into a row of Postgres, in
the session that holds the builder's lock, so that a builder without it cannot publish. Readers copy
the file once, and then need neither Postgres nor a key for anything but `published/`. A version
never changes, so the catalog of builds need not keep snapshots for it.
"""

import functools
import os
import shutil
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from warehouse.errors import LakeError
from warehouse.files import remove_leftovers, write_atomically
from warehouse.lake.engine import EXTENSIONS, extension_files, prepare, store_secret
from warehouse.lake.locks import Session, connect
from warehouse.lake.settings import INDEX_SUFFIX, SUFFIX, Lake, explained, other_version
from warehouse.safe_text import sql_text

# Names of a version and of its index in a connection.
PUBLISHED, INDEX = "published", "search_index"
_CREATE = """
    create schema if not exists rostrum_published;
    create table if not exists rostrum_published.versions (
        name text primary key,
        published_at timestamptz not null default now(),
        catalog bytea not null
    )
"""
# Parts of a path are relative to each other.
_FILES = """
    select place.value || schemas.path || tables.path || files.path
    from (
        select table_id, path from ducklake_data_file
        union all
        select table_id, path from ducklake_delete_file
    ) as files
    inner join ducklake_table as tables using (table_id)
    inner join ducklake_schema as schemas using (schema_id)
    cross join ducklake_metadata as place
    where place.key = 'data_path'
"""


def fetched(lake: Lake, folder: Path) -> list[Path]:
    """Copy the catalogs of kept versions to a folder, oldest first, and remove others there."""
    with closing(connect(lake)) as session, session.cursor() as cursor:
        cursor.execute("select to_regclass('rostrum_published.versions') is not null")
        if not cursor.fetchone()[0]:
            return []
        cursor.execute("select name from rostrum_published.versions order by name")
        paths = [folder / f"{row[0]}{SUFFIX}" for row in cursor.fetchall()]
        missing = [each for each in paths if not each.exists()]
        for path in missing:
            cursor.execute(
                "select catalog from rostrum_published.versions where name = %s", (path.stem,)
            )
            if row := cursor.fetchone():
                write_atomically(path, zlib.decompress(row[0]))
    for local in folder.glob("v*"):
        if local.suffix in (SUFFIX, INDEX_SUFFIX) and local.with_suffix(SUFFIX) not in paths:
            local.unlink(missing_ok=True)
    if missing:
        remove_leftovers(folder)
    return [path for path in paths if path.exists()]


def bytes_of(path: Path) -> int:
    """Return the size of a version with its rows."""
    size = path.stat().st_size
    if path.suffix != SUFFIX:
        return size
    with duckdb.connect(str(path), read_only=True) as connection:
        row = connection.execute(
            "select coalesce(sum(file_size_bytes), 0) from ducklake_data_file"
        ).fetchone()
    return size + int(row[0] if row else 0)


def attach_version(connection: duckdb.DuckDBPyConnection, path: Path, alias: str) -> None:
    """Attach a published version, a file or a lake's catalog, for reading."""
    if path.suffix == SUFFIX:
        prepare(connection)
    for statement in attaching(path, alias):
        connection.execute(statement)


def attaching(path: Path, alias: str) -> list[str]:
    """Return SQL that attaches a version for reading."""
    scheme = "ducklake:" if path.suffix == SUFFIX else ""
    return [f"attach {sql_text(f'{scheme}{path}')} as {alias} (read_only)"]


def attach_new(connection: duckdb.DuckDBPyConnection, path: Path, data: str | None) -> None:
    """Attach a version that is being written as `published`.

    Args:
        data: Place of the rows of a lake's version; None for a file.
    """
    if data is None:
        connection.execute(f"attach {sql_text(path)} as {PUBLISHED}")
        return
    if "://" not in data:
        Path(data).mkdir(parents=True, exist_ok=True)
    prepare(connection)
    connection.execute(
        f"attach {sql_text(f'ducklake:{path}')} as {PUBLISHED} (data_path {sql_text(data)})"
    )


def open_version(
    path: Path, config: Mapping[str, str], index: Path | None
) -> duckdb.DuckDBPyConnection:
    """Open a version for reading; connections of a process share one instance.

    Args:
        index: File of the search index of a lake's version, to use it.

    Raises:
        LakeError: The version was published with another version of DuckLake.
    """
    settings: dict[str, Any] = dict(config)
    if path.suffix != SUFFIX:
        return duckdb.connect(str(path), read_only=True, config=settings)
    # A name by which rows spilled by a killed reader are removed.
    settings["temp_directory"] = str(path.with_name(f".{path.name}.{os.getpid()}.part"))
    connection = duckdb.connect(f":memory:{path}", config=settings)
    try:
        known = {row[0] for row in connection.execute("from duckdb_databases()").fetchall()}
        if PUBLISHED not in known:
            for statement in opening(path, index):
                connection.execute(statement)
            known.add(INDEX if index else PUBLISHED)
        connection.execute(f"set search_path = {sql_text(_search_path(INDEX in known))}")
    except BaseException as error:
        connection.close()
        if message := other_version(str(error)):
            raise LakeError(f"{message} ({str(error).splitlines()[0]})") from None
        raise
    return connection


def opening(path: Path, index: Path | None) -> list[str]:
    """Return SQL that opens a lake's version in an instance in memory.

    It allows the version's own files, each by its name: an allowed folder can be left through `..`,
    which S3 clients resolve.
    """
    files = ", ".join(map(sql_text, data_files(path)))
    statements = [f"load {sql_text(each)}" for each in extension_files(*EXTENSIONS)]
    if secret := store_secret():
        statements.append(secret)
    statements += attaching(path, PUBLISHED)
    if index is not None:
        statements += attaching(index, INDEX)
    return [
        *statements,
        f"set allowed_paths = [{files}]",
        f"set search_path = {sql_text(_search_path(index is not None))}",
    ]


def _search_path(has_index: bool) -> str:
    return f"{PUBLISHED}.main" + (f",{INDEX}.fts_main_search" if has_index else "")


@functools.lru_cache(maxsize=8)
def data_files(path: Path) -> list[str]:
    """Return the files with rows of a version, which never change."""
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(_FILES).fetchall()
    return [row[0] for row in rows]


def add(session: Session, name: str, path: Path, keep: int) -> list[str]:
    """Make a version the current one, and delete the oldest beyond `keep`.

    Returns:
        The deleted versions, whose rows remain to be removed.

    Raises:
        LakeError: The session has ended, and the lock with it.
    """
    catalog = zlib.compress(path.read_bytes())
    session.execute(
        "insert into rostrum_published.versions (name, catalog) values (%s, %s)", (name, catalog)
    )
    gone = session.execute(
        "delete from rostrum_published.versions where name not in "
        "(select name from rostrum_published.versions order by name desc limit %s) returning name",
        (keep,),
    )
    return [row[0] for row in gone]


def remove_unfinished(lake: Lake, session: Session) -> None:
    """Remove the rows of unfinished versions."""
    session.execute(_CREATE)
    kept = {row[0] for row in session.execute("select name from rostrum_published.versions")}
    with explained(lake), duckdb.connect() as connection:
        prepare(connection)
        found = connection.execute(
            "select distinct regexp_extract(file, '/published/([^/]+)/', 1) from glob(?)",
            [f"{lake.data}published/**"],
        ).fetchall()
    remove_rows(lake, {row[0] for row in found} - kept - {""})


def remove_rows(lake: Lake, names: Iterable[str]) -> None:
    """Remove the rows of deleted versions."""
    for name in names:
        place = lake.version_data(name)
        if "://" not in place:
            shutil.rmtree(place, ignore_errors=True)
            continue
        with explained(lake), duckdb.connect() as connection:
            prepare(connection)
            # All files are orphans of an empty catalog.
            connection.execute(f"attach 'ducklake::memory:' as gone (data_path {sql_text(place)})")
            connection.execute("call ducklake_delete_orphaned_files('gone', cleanup_all => true)")


def tidy(connection: duckdb.DuckDBPyConnection, lake: Lake) -> None:
    """Expire old snapshots of the catalog of builds, merge small files and remove unused ones.

    A day of older states stays, for builds that read raw as of their start.
    """
    with explained(lake):
        for call in (
            "ducklake_expire_snapshots('build', older_than => now() - interval 1 day)",
            "ducklake_merge_adjacent_files('build')",
            "ducklake_cleanup_old_files('build', older_than => now() - interval 1 day)",
        ):
            connection.execute(f"call {call}")
