"""Publishing: an audited build becomes an immutable version that readers can open.

The previous version is copied under a temporary name, and the marts that differ are rewritten. The
file is synced, renamed to a versioned name, and only then made current by swapping a symbolic link.
Readers keep the file they opened and never see a part of one.
"""

import contextlib
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from warehouse.audit import Audit, project_hash, require_audit
from warehouse.catalogue import read_catalogue
from warehouse.changes import write_changes
from warehouse.errors import LakeError, NotEnoughSpace, NothingPublished, WarehouseError
from warehouse.files import fsync, is_disk_full, is_on_its_way, remove_leftovers
from warehouse.home import Home
from warehouse.lake.settings import SUFFIX, Lake, explanation
from warehouse.lake.versions import add, attach_new, remove_rows, remove_unfinished, tidy
from warehouse.reader import FILE, VERSION_NAME, Version, current_version, published_versions
from warehouse.safe_text import sql_text
from warehouse.schema import one_transaction
from warehouse.search import SCHEMA, index_of, index_texts
from warehouse.threads import threads_of
from warehouse.waiting import say_nothing
from warehouse.writer import build_connection, building_now, full_disk, write_lock

VERSIONS_KEPT = 3
# A published file is smaller than its build database; a tenth is for the log.
_SPACE_FACTOR = 1.1
_MART_PREFIXES = ("dim_", "fct_", "rpt_")
_TEXTS = "dim_search_text"


def publish(
    home: Home, *, code_version: str, notify: Callable[[str], None] = say_nothing
) -> Version:
    """Publish the build database, if its audit row vouches for it, and return the new version.

    Raises:
        PublishRefused: The newest build was not whole, or data were loaded since.
        NotEnoughSpace: The disk cannot hold another version. The old one stays.
    """
    with (
        write_lock(home, "publish", notify=notify),
        build_connection(home, notify=notify) as connection,
    ):
        audit = require_audit(connection)
        _remove_leftovers(home)
        # None for a file.
        lake = building_now(home)
        if lake is None:
            _require_space(home)
        else:
            remove_unfinished(lake[0], lake[1].session)
        number = max((version.number for version in published_versions(home)), default=0) + 1
        now = datetime.now(UTC)
        name = f"v{number:06d}-{now:%Y%m%dT%H%M%SZ}"
        path = home.published / f"{name}{FILE if lake is None else SUFFIX}"
        data = lake[0].version_data(name) if lake else None
        temporary = home.published / f".{name}.part"
        before: Version | None = None
        with contextlib.suppress(NothingPublished):
            before = current_version(home)
        gone: list[str] = []
        try:
            connection.execute(f"set threads = {threads_of(connection)}")
            marts = _marts(connection)
            kept = set() if lake else _begin(connection, temporary, before, code_version, marts)
            changed = {name: schema for name, schema in marts.items() if name not in kept}
            _copy_marts(connection, temporary, data, _descriptions(home), changed)
            _sign(connection, temporary, data, name, now, code_version, audit, before)
            if lake is None:
                if _TEXTS not in kept:
                    index_texts(temporary)
            else:
                gone = add(lake[1].session, name, temporary, VERSIONS_KEPT)
            fsync(temporary)
            os.replace(temporary, path)
            fsync(home.published)
        except (OSError, duckdb.Error) as error:
            temporary.unlink(missing_ok=True)
            raise _explained(error, home, lake and lake[0]) from error
        if lake is None:
            _make_current(home, path.name)
            _prune(home)
        else:
            index_of(path)
            remove_rows(lake[0], gone)
            tidy(connection, lake[0])
        return Version(name, path, now)


def _marts(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the marts with their schemas."""
    return {
        table: schema
        for table, schema in connection.execute(
            "select table_name, schema_name from duckdb_tables() "
            "where database_name = current_database() order by table_name"
        ).fetchall()
        if table.startswith(_MART_PREFIXES)
    }


def _begin(
    connection: duckdb.DuckDBPyConnection,
    target: Path,
    before: Version | None,
    code_version: str,
    marts: Mapping[str, str],
) -> set[str]:
    """Start a file from the previous version, and return the marts that stay unchanged.

    Most marts do, and writing them takes most of publishing. Nothing stays of a version of other
    code, of an unreadable one and of one that is mostly free blocks.
    """
    if before is None:
        return set()
    shutil.copyfile(before.path, target)
    try:
        with _attached(connection, target, None):
            kept = _unchanged(connection, code_version, marts)
            for table in _published_tables(connection) if kept else ():
                if table not in kept:
                    connection.execute(f'drop table published.main."{table}"')
            if kept and _TEXTS not in kept:
                connection.execute(f"drop schema if exists published.{SCHEMA} cascade")
    except duckdb.Error:
        kept = set()
    if not kept:
        target.unlink()
    return kept


def _unchanged(
    connection: duckdb.DuckDBPyConnection, code_version: str, marts: Mapping[str, str]
) -> set[str]:
    """Return the marts that are the same in the attached version and in the build database."""
    made_by = connection.execute(
        "select code_version, project_hash from published.main.publication"
    ).fetchone()
    blocks = connection.execute(
        "select used_blocks, free_blocks from pragma_database_size() "
        "where database_name = 'published'"
    ).fetchone()
    if made_by != (code_version, project_hash()) or blocks is None or blocks[0] < blocks[1]:
        return set()
    content = "select (count(*), sum(hash(t)), bit_xor(hash(t))) from"
    return {
        table
        for table in _published_tables(connection)
        if table in marts
        and connection.execute(
            f'select ({content} published.main."{table}" as t) '
            f'is not distinct from ({content} "{marts[table]}"."{table}" as t)'
        ).fetchone()
        == (True,)
    }


def _published_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = connection.execute(
        "select table_name from duckdb_tables() "
        "where database_name = 'published' and schema_name = 'main'"
    ).fetchall()
    return [table for (table,) in rows]


@contextlib.contextmanager
def _attached(
    connection: duckdb.DuckDBPyConnection, target: Path, data: str | None
) -> Iterator[None]:
    attach_new(connection, target, data)
    try:
        yield
    finally:
        connection.execute("detach published")


def _copy_marts(
    connection: duckdb.DuckDBPyConnection,
    target: Path,
    data: str | None,
    descriptions: Mapping[str, str],
    marts: Mapping[str, str],
) -> None:
    catalogue = read_catalogue()
    # One transaction: otherwise each of a thousand comments would be synced by itself.
    with _attached(connection, target, data), one_transaction(connection):
        for table, schema in marts.items():
            copy, source = f'published.main."{table}"', f'"{schema}"."{table}"'
            connection.execute(f"create table {copy} as from {source}")
            about = sql_text(descriptions.get(table, ""))
            connection.execute(f"comment on table {copy} is {about}")
            for column, *_ in connection.execute(f"describe {source}").fetchall():
                if meaning := catalogue.meaning(table, column):
                    text = sql_text(meaning)
                    connection.execute(f'comment on column {copy}."{column}" is {text}')


def _sign(
    connection: duckdb.DuckDBPyConnection,
    target: Path,
    data: str | None,
    name: str,
    now: datetime,
    code_version: str,
    audit: Audit,
    before: Version | None,
) -> None:
    with _attached(connection, target, data):
        compared = write_changes(connection, before)
        version_before = sql_text(compared.name) if compared else "null"
        connection.execute(
            f"create table published.main.publication as select {sql_text(name)} as version, "
            f"{sql_text(now.replace(tzinfo=None))}::timestamp as published_at, "
            f"{sql_text(code_version)} as code_version, {sql_text(project_hash())} as "
            f"project_hash, {sql_text(audit.invocation_id)} as dbt_invocation_id, "
            "(select coalesce(max(load_id), 0) from raw.loads)::bigint as raw_load_id, "
            f"{version_before}::varchar as version_before"
        )
        connection.execute(
            "comment on table published.main.publication is "
            "'Which version this is, when it was published, and what it was built from.'"
        )
        if data is None:
            connection.execute("checkpoint published")


def _descriptions(home: Home) -> dict[str, str]:
    """Return the description of each model."""
    path = home.dbt_target / "manifest.json"
    if not path.exists():
        return {}
    nodes: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["nodes"]
    return {
        node["name"]: node["description"]
        for node in nodes.values()
        if node["resource_type"] == "model"
    }


def _remove_leftovers(home: Home) -> None:
    """Remove the leftovers of a killed publish or reader: parts of versions and spilled rows.

    A version has no log, so a file of that name is a leftover. Readers of a lake's versions use
    names of their own.
    """
    remove_leftovers(home.published)
    for path in home.published.glob(".*"):
        if path.name.startswith((".v", ".current")) and not is_on_its_way(path):
            path.unlink(missing_ok=True)
    for path in home.published.glob("v*.duckdb.*"):
        if not path.is_dir():
            path.unlink(missing_ok=True)
        elif not _is_read(path.with_suffix("")):
            shutil.rmtree(path, ignore_errors=True)


def _is_read(version_file: Path) -> bool:
    """Return whether another process has a version open, and may have spilled rows."""
    try:
        with version_file.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _require_space(home: Home) -> None:
    needed = int(home.build_db.stat().st_size * _SPACE_FACTOR)
    free = shutil.disk_usage(home.published).free
    if free < needed:
        raise NotEnoughSpace(
            f"publish: {home.published} has {free / 1e6:.0f} MB free and a new version may need "
            f"{needed / 1e6:.0f} MB; free some space and run 'rostrum build' again. "
            "The version published before is untouched"
        )


def _explained(error: OSError | duckdb.Error, home: Home, lake: Lake | None) -> WarehouseError:
    untouched = "The version published before is untouched"
    if is_disk_full(error):
        return NotEnoughSpace(
            f"publish: {full_disk(home, error)}; free some space and run 'rostrum build' again. "
            f"{untouched}"
        )
    if lake and (message := explanation(lake, error)):
        return LakeError(f"{message}. {untouched}")
    return WarehouseError(
        f"publish: writing a version in {home.published} failed: {error}. {untouched}"
    )


def _make_current(home: Home, file_name: str) -> None:
    link = home.published / ".current.part"
    link.unlink(missing_ok=True)
    link.symlink_to(file_name)
    os.replace(link, home.current)
    fsync(home.published)


def _prune(home: Home) -> None:
    current = home.current.resolve().name
    for version in published_versions(home)[:-VERSIONS_KEPT]:
        if version.path.name != current and VERSION_NAME.fullmatch(version.path.name):
            version.path.unlink(missing_ok=True)
