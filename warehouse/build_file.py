"""The file of the build database: opened by one process at a time, copied while it is written.

DuckDB 1.5.5 writes data next to what they replace, but the list of contents in place, 256 KiB at a
time: a kill or a power cut within one of those writes leaves half of each. So there is a copy as
long as a process writes, and the next writer continues from it if the file is damaged.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from filecmp import cmp
from pathlib import Path

import duckdb

from warehouse.errors import NotEnoughSpace, WarehouseBusy, WarehouseDamaged
from warehouse.files import fsync, replacing
from warehouse.home import Home
from warehouse.waiting import Held, wait_for

# The oldest DuckDB that reads the build database. Columns of few different texts are written a
# quarter faster than for DuckDB 1.0, the default: a million verdicts take 2.0 s of processor time
# instead of 2.7 (measured 2026-11-28). Published versions stay readable by all.
_FORMAT = "v1.3.0"
# Words of DuckDB for a file that another process has open, and for a damaged one.
_LOCKED = "could not set lock"
_DAMAGED = (
    "corrupt database",
    "could not read enough bytes",
    "metadata pointer",
    "no more data remaining in metadatareader",
)


@contextmanager
def copied(
    home: Home, killed: str | None, *, wait_s: float, notify: Callable[[str], None]
) -> Iterator[None]:
    """Keep a copy of the file while the holder of its lock writes it.

    The copy stays for the next writer after a kill, or if an error left the file damaged.

    Args:
        killed: The holder of the lock that was killed, if known.

    Raises:
        WarehouseBusy: A process had the file open and did not close it in time.
        WarehouseDamaged: Neither the file nor a copy can be read.
        NotEnoughSpace: There is no room for a copy.
    """
    # Without either the last writer ended well, and the file is whole.
    if home.build_db.exists() and (home.build_copy.exists() or _log_of(home).exists()):
        _make_whole(home, killed, wait_s=wait_s, notify=notify)
        # Rows that the killed process had moved from memory to disk.
        shutil.rmtree(home.build_db.with_name(f"{home.build_db.name}.tmp"), ignore_errors=True)
    # Whole now: the space of an old copy is free.
    home.build_copy.unlink(missing_ok=True)
    create(home.build_db)
    _require_space(home)
    with replacing(home.build_copy) as temporary:
        shutil.copyfile(home.build_db, temporary)
        fsync(temporary)
    try:
        yield
    except BaseException:
        # A dbt killed within a write raises here.
        with suppress(duckdb.Error, OSError, WarehouseBusy, WarehouseDamaged):
            _read(home, wait_s=0, notify=notify)
            home.build_copy.unlink()
        raise
    home.build_copy.unlink()


def _require_space(home: Home) -> None:
    needed, folder = home.build_db.stat().st_size, home.build_db.parent
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise NotEnoughSpace(
            f"warehouse: {folder} has {free / 1e6:.0f} MB free and needs {needed / 1e6:.0f} MB for "
            f"a copy of {home.build_db.name} while it is written; free some space and run this "
            "again"
        )


def _log_of(home: Home) -> Path:
    """Return the log of commits that are not in the file; DuckDB replays it on opening."""
    return home.build_db.with_name(f"{home.build_db.name}.wal")


def _make_whole(
    home: Home, killed: str | None, *, wait_s: float, notify: Callable[[str], None]
) -> None:
    """Use the file of a writer that did not end well, or else the copy."""
    try:
        _read(home, wait_s=wait_s, notify=notify)
    except WarehouseDamaged:
        if not home.build_copy.exists():
            raise
        _log_of(home).unlink(missing_ok=True)
        os.replace(home.build_copy, home.build_db)
        fsync(home.build_db.parent)
        _read(home, wait_s=wait_s, notify=notify)
        notify(
            f"warehouse: {killed or 'the last writer'} was ended within a write and left "
            f"{home.build_db.name} damaged; it is again as it was before that command, so run that "
            "one again. Answers in journals are loaded by the next 'rostrum run'"
        )


def _read(home: Home, *, wait_s: float, notify: Callable[[str], None]) -> None:
    """Read the whole list of contents, and replay the log."""
    with (
        explained_when_damaged(home),
        connect(home, wait_s=wait_s, notify=notify) as connection,
    ):
        tables = connection.execute(
            "select schema_name, table_name from duckdb_tables() where not temporary"
        ).fetchall()
        for schema, table in tables:
            connection.execute(
                "select count(*) from pragma_storage_info(?)", [f'"{schema}"."{table}"']
            )
        connection.execute("checkpoint")


@contextmanager
def explained_when_damaged(home: Home) -> Iterator[None]:
    """Turn an error about a damaged file into the steps to repair it."""
    try:
        yield
    except duckdb.Error as error:
        said = str(error).strip().splitlines()[0]
        if not any(sign in said.lower() for sign in _DAMAGED):
            raise
        what_to_do = (
            "Run this again: it goes on from the copy that was made before"
            if home.build_copy.exists() and not cmp(home.build_copy, home.build_db, shallow=False)
            else "Put a copy of the file back if there is one; otherwise move it and its .wal "
            f"away, ingest and import again from {home.landing}; the next 'rostrum run' loads the "
            "answers of all runs"
        )
        raise WarehouseDamaged(
            f"warehouse: {home.build_db} is damaged ({said}): a process was killed, or the power "
            "went, as DuckDB wrote its list of contents. Every published version, every landed "
            f"file and every answer in a journal is as it was. {what_to_do}"
        ) from error


def connect(
    home: Home, *, wait_s: float, notify: Callable[[str], None]
) -> duckdb.DuckDBPyConnection:
    """Open the file, waiting for DuckDB's own lock; the error names its holder."""
    create(home.build_db)

    def attempt(left: float) -> duckdb.DuckDBPyConnection:
        del left
        try:
            return duckdb.connect(str(home.build_db))
        except duckdb.IOException as error:
            # Not "lock" alone: damage is in a "block".
            if _LOCKED not in str(error).lower():
                raise
            found = re.search(r"\(PID (\d+)\)", str(error))
            raise Held(f"process {found[1]}" if found else "another process") from None

    return wait_for(
        attempt,
        wait_s=wait_s,
        notify=notify,
        message="waiting for {holder}, which has the warehouse file open",
        refusal=f"warehouse: {home.build_db} is still open in {{holder}} after {{seconds}} s; a "
        "dbt run that outlived its command is the usual reason: stop that process and run this "
        "again",
    )


def create(path: Path) -> None:
    """Make an empty database, whole or not at all: DuckDB cannot open a part of one."""
    if not path.exists():
        with replacing(path) as temporary:
            connection = duckdb.connect(
                str(temporary), config={"storage_compatibility_version": _FORMAT}
            )
            connection.close()
