"""The landing: every source file as it was fetched, named by its content, with its origin.

A file counts as landed once its manifest is there; the manifest is written last. A marker in its
folder means that nothing has been loaded from it: a file that every reader refuses is removed by
the last of them, or after a kill by the next load.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ingestion.batch import Loadable, SourceFile
from ingestion.errors import NoSpace, SourceUnreadable, explained_when_full
from ingestion.sources.containers import max_source_bytes, read_whole, refuse_larger
from warehouse.files import fsync, remove_leftovers, write_atomically
from warehouse.home import Home

if TYPE_CHECKING:
    import duckdb

SCHEMA_VERSION = 1
MANIFEST = "manifest.json"
_UNLOADED = ".unloaded"
_CHUNK = 2**20


@dataclass(frozen=True)
class _Held:
    """A folder of the landing, protected from removal while its handle is open."""

    folder: Path
    handle: int


_held: ContextVar[list[_Held] | None] = ContextVar("_held", default=None)


@dataclass(frozen=True)
class Landed:
    """One file in the landing.

    Attributes:
        path: The copy to read.
        shown: The file or address as the user named it.
        label: The copy's path under the home, for `_source_file`.
        fetched_at: When these bytes first came in, UTC, ISO 8601.
    """

    path: Path
    shown: str
    label: str
    sha256: str
    size: int
    fetched_at: str

    def document(self) -> bytes:
        """Return the content of a file that is one document, unless it is too large for one."""
        with self.path.open("rb") as stream:
            return read_whole(stream, self.shown)

    def source_file(self, records: int) -> SourceFile:
        """Return this file as a batch names it, with its number of records."""
        return SourceFile(self.shown, self.label, self.sha256, records)


@dataclass(frozen=True)
class LandedBatch(Loadable):
    """Rows of one landed file about items that are already loaded."""

    landed: Landed
    files: Sequence[SourceFile]
    kind = "scores"
    items_of = None

    @property
    def task(self) -> str:
        """This writer's work, for the message of those who wait."""
        return f"import {Path(self.landed.shown).name}"


@contextmanager
def unfinished(home: Home, what: str) -> Iterator[Path]:
    """Make a temporary folder in the landing.

    Args:
        what: A word for its name, in the form by which leftovers of a kill are found.
    """
    home.landing.mkdir(parents=True, exist_ok=True)
    remove_leftovers(home.landing)
    prefix = f".{what}.{os.getpid()}-"
    with tempfile.TemporaryDirectory(".part", prefix, home.landing) as folder:
        yield Path(folder)


@contextmanager
def kept_if_loaded() -> Iterator[None]:
    """Remove what was landed in this block if an error ends it.

    Files that were there before stay, and so do those that another process holds: it may have
    loaded them, or removes them if it refuses them too.
    """
    landed: list[_Held] = []
    token = _held.set(landed)
    try:
        yield
    except BaseException:
        for each in landed:
            _remove_if_unwanted(each)
        raise
    else:
        for each in landed:
            (each.folder / _UNLOADED).unlink(missing_ok=True)
    finally:
        _held.reset(token)
        for each in landed:
            os.close(each.handle)


def _remove_if_unwanted(held: _Held) -> None:
    with _landing_lock(held.folder.parent):
        if _take_alone(held.handle) and (held.folder / _UNLOADED).exists():
            # The manifest first: a kill in between leaves no folder that looks complete.
            (held.folder / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(held.folder, ignore_errors=True)


def remove_unloaded(home: Home, connection: duckdb.DuckDBPyConnection) -> None:
    """Remove files from which killed loads have loaded nothing."""
    rows = connection.execute("select sha256 from raw.loads").fetchall()
    loaded = {each for (sha256,) in rows for each in (sha256 or "").split("+")}
    for marker in home.landing.glob(f"*/{_UNLOADED}"):
        folder = marker.parent
        with suppress(FileNotFoundError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                if folder.name in loaded:
                    marker.unlink()
                else:
                    _remove_if_unwanted(_Held(folder, handle))
            finally:
                os.close(handle)


@contextmanager
def _landing_lock(landing: Path) -> Iterator[None]:
    """Hold the lock under which folders are taken and removed."""
    handle = os.open(landing, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _take_alone(handle: int) -> bool:
    """Hold a folder if no other process does; on failure this handle lets go of it too."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _hold(folder: Path) -> tuple[_Held, dict[str, object] | None]:
    """Make a folder of the landing if it is missing, hold it, and return its manifest if any."""
    marker = folder / _UNLOADED
    with _landing_lock(folder.parent):
        folder.mkdir(exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            if _take_alone(handle):
                # The marker's process was killed, perhaps after it loaded something.
                marker.unlink(missing_ok=True)
            fcntl.flock(handle, fcntl.LOCK_SH)
            manifest = _read_manifest(folder)
            if _held.get() is None:
                marker.unlink(missing_ok=True)
            elif manifest is None:
                marker.touch()
        except BaseException:
            os.close(handle)
            raise
    return _Held(folder, handle), manifest


def land(
    home: Home,
    path: Path,
    *,
    source: str,
    licence: str,
    origin: str | None = None,
    shown: str | None = None,
) -> Landed:
    """Copy a file into the landing, unless these very bytes are there already.

    Args:
        source: The source's name, for the manifest.
        licence: The data's licence, for the manifest.
        origin: Where the file came from, such as an address; its path when not given.
        shown: The file's name in messages; its path when not given.

    Raises:
        SourceUnreadable: The file cannot be read, or is larger than `max_source_bytes`.
        NoSpace: The disk is full, or would be.
    """
    shown = shown or str(path)
    _require_file(path, shown)
    home.landing.mkdir(parents=True, exist_ok=True)
    remove_leftovers(home.landing)
    size = path.stat().st_size
    refuse_larger(size, shown)
    free = shutil.disk_usage(home.landing).free
    if free < size:
        raise NoSpace(
            f"ingestion: {shown} has {size:,} bytes, and the disk of {home.landing} has {free:,} "
            "free; free some space and run this again. What was loaded before is as it was"
        )
    temporary = home.landing / f".{os.getpid()}-{secrets.token_hex(4)}.part"
    held: _Held | None = None
    with explained_when_full(f"copying {shown}", home.landing):
        try:
            sha256, size = _copy(path, temporary, shown)
            folder = home.landing / sha256
            held, manifest = _hold(folder)
            if manifest is None:
                name = path.name.lstrip(".") or "file"
                os.replace(temporary, folder / name)
                fsync(folder)
                fsync(home.landing)
                manifest = {
                    "schema_version": SCHEMA_VERSION,
                    "name": name,
                    "source": source,
                    "licence": licence,
                    "sha256": sha256,
                    "bytes": size,
                    "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
                    "origin": str(path.resolve()) if origin is None else origin,
                }
                text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
                write_atomically(folder / MANIFEST, text.encode("utf-8", "replace"))
            if (block := _held.get()) is not None:
                block.append(held)
                held = None
        finally:
            temporary.unlink(missing_ok=True)
            if held is not None:
                os.close(held.handle)
    name = str(manifest["name"])
    label = f"{home.landing.name}/{sha256}/{name}"
    return Landed(folder / name, shown, label, sha256, size, str(manifest["fetched_at"]))


def in_place(path: Path) -> Landed:
    """Return a file that is read where it lies as if it had landed.

    Raises:
        SourceUnreadable: The file cannot be read.
    """
    shown = str(path)
    _require_file(path, shown)
    digest = hashlib.sha256()
    for chunk in _chunks(path, shown):
        digest.update(chunk)
    return Landed(path, shown, shown, digest.hexdigest(), path.stat().st_size, fetched_at="")


def _require_file(path: Path, shown: str) -> None:
    if path.is_file():
        return
    fault = "is a folder" if path.is_dir() else "is a device, a pipe or a socket"
    if not path.exists():
        fault = "does not exist"
    raise SourceUnreadable(f"ingestion: {shown} {fault}; expected a file: check the path")


def _copy(path: Path, temporary: Path, shown: str) -> tuple[str, int]:
    """Copy a file to disk and return its SHA-256 and its size."""
    digest, size, limit = hashlib.sha256(), 0, max_source_bytes()
    with temporary.open("wb") as target:
        for chunk in _chunks(path, shown):
            digest.update(chunk)
            size += len(chunk)
            refuse_larger(size, shown, limit)
            target.write(chunk)
        target.flush()
        os.fsync(target.fileno())
    return digest.hexdigest(), size


def _chunks(path: Path, shown: str) -> Iterator[bytes]:
    try:
        with path.open("rb") as source:
            while chunk := source.read(_CHUNK):
                yield chunk
    except OSError as error:
        message = f"ingestion: cannot read {shown}: {error.strerror}; check its permissions"
        raise SourceUnreadable(message) from error


def _read_manifest(folder: Path) -> dict[str, object] | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    is_whole = isinstance(manifest, dict) and (folder / str(manifest.get("name"))).is_file()
    return manifest if is_whole and "fetched_at" in manifest else None
