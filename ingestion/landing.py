"""The landing: every source file as it was fetched, named by its content, and where it came from.

A file counts as landed once its manifest is there; the manifest is written last. Until something
is loaded from it, a marker stands beside it: what is refused by all who read it is removed, by the
last of them, or after a kill by the next load.
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
# Beside a file of which nothing has been loaded yet.
_UNLOADED = ".unloaded"
_CHUNK = 2**20


@dataclass(frozen=True)
class _Held:
    """A folder of the landing that nobody else removes as long as its handle is open."""

    folder: Path
    handle: int


_held: ContextVar[list[_Held] | None] = ContextVar("_held", default=None)


@dataclass(frozen=True)
class Landed:
    """One file in the landing.

    Attributes:
        path: The copy to read.
        shown: The file or address as the user named it.
        label: The copy's path under the home; what `_source_file` holds.
        sha256: Of its bytes.
        size: Bytes.
        fetched_at: When these bytes first came in, UTC, ISO 8601.
    """

    path: Path
    shown: str
    label: str
    sha256: str
    size: int
    fetched_at: str

    def document(self) -> bytes:
        """Return the content of a file that is one document.

        Raises:
            SourceUnreadable: It is too large to be one.
        """
        with self.path.open("rb") as stream:
            return read_whole(stream, self.shown)

    def source_file(self, records: int) -> SourceFile:
        """Return this file as a batch names it, with the number of records found in it."""
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
        """What other writers are told to wait for."""
        return f"import {Path(self.landed.shown).name}"


@contextmanager
def unfinished(home: Home, what: str) -> Iterator[Path]:
    """Make a folder beside the landed files that is gone afterwards.

    Args:
        what: A word for its name; it is named as other unfinished files are, so that one left by a
            kill is found and removed.
    """
    home.landing.mkdir(parents=True, exist_ok=True)
    remove_leftovers(home.landing)
    prefix = f".{what}.{os.getpid()}-"
    with tempfile.TemporaryDirectory(".part", prefix, home.landing) as folder:
        yield Path(folder)


@contextmanager
def kept_if_loaded() -> Iterator[None]:
    """Remove from the landing what came into it in this block, if an error ends the block.

    What was there before stays, whoever lands the same bytes again, and so does what another
    process has landed meanwhile: it may have loaded it, or removes it if it is refused there too.
    """
    held: list[_Held] = []
    token = _held.set(held)
    try:
        yield
    except BaseException:
        for one in held:
            _remove_if_unwanted(one)
        raise
    else:
        for one in held:
            (one.folder / _UNLOADED).unlink(missing_ok=True)
    finally:
        _held.reset(token)
        for one in held:
            os.close(one.handle)


def _remove_if_unwanted(one: _Held) -> None:
    with _alone_in(one.folder.parent):
        if _is_held_by_nobody_else(one.handle) and (one.folder / _UNLOADED).exists():
            # First what says that the file is there, so that a kill between leaves no lie.
            (one.folder / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(one.folder, ignore_errors=True)


def remove_unloaded(home: Home, connection: duckdb.DuckDBPyConnection) -> None:
    """Remove files of which killed loads have loaded nothing."""
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
def _alone_in(landing: Path) -> Iterator[None]:
    """Hold the landing: who comes to a folder and who leaves it is decided one after the other."""
    handle = os.open(landing, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _hold(folder: Path) -> tuple[int, dict[str, object] | None]:
    """Make a folder of the landing where it is missing, and hold it.

    Returns:
        A handle that holds it, and its manifest; None where that is missing.
    """
    marker = folder / _UNLOADED
    with _alone_in(folder.parent):
        folder.mkdir(exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
        try:
            if _is_held_by_nobody_else(handle):
                # Whoever set it was killed, perhaps after something was loaded.
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
    return handle, manifest


def _is_held_by_nobody_else(handle: int) -> bool:
    """Whether a folder is; if it is not, the handle no longer holds it either."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
        path: The file to copy.
        source: The source's name, for the manifest.
        licence: The data's licence, for the manifest.
        origin: Where the file came from, such as an address with its revision; its path when not
            given.
        shown: How messages name the file; its path when not given.

    Raises:
        SourceUnreadable: The file cannot be read, or is larger than `max_source_bytes`.
        NoSpace: The disk is full, or would be.
    """
    shown = shown or str(path)
    _refuse_what_is_no_file(path, shown)
    home.landing.mkdir(parents=True, exist_ok=True)
    remove_leftovers(home.landing)
    _refuse_what_does_not_fit(home.landing, path.stat().st_size, shown)
    temporary = home.landing / f".{os.getpid()}-{secrets.token_hex(4)}.part"
    handle: int | None = None
    with explained_when_full(f"copying {shown}", home.landing):
        try:
            sha256, size = _copy(path, temporary, shown)
            folder = home.landing / sha256
            handle, manifest = _hold(folder)
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
            if (held := _held.get()) is not None:
                held.append(_Held(folder, handle))
                handle = None
        finally:
            temporary.unlink(missing_ok=True)
            if handle is not None:
                os.close(handle)
    name = str(manifest["name"])
    label = f"{home.landing.name}/{sha256}/{name}"
    return Landed(folder / name, shown, label, sha256, size, str(manifest["fetched_at"]))


def _refuse_what_does_not_fit(landing: Path, size: int, shown: str) -> None:
    refuse_larger(size, shown)
    free = shutil.disk_usage(landing).free
    if free < size:
        raise NoSpace(
            f"ingestion: {shown} has {size:,} bytes, and the disk of {landing} has {free:,} free; "
            "free some space and run this again. What was loaded before is as it was"
        )


def in_place(path: Path) -> Landed:
    """Describe a file that is read where it lies, as one that has landed.

    Raises:
        SourceUnreadable: The file cannot be read.
    """
    shown = str(path)
    _refuse_what_is_no_file(path, shown)
    digest = hashlib.sha256()
    for chunk in _chunks(path, shown):
        digest.update(chunk)
    return Landed(path, shown, shown, digest.hexdigest(), path.stat().st_size, fetched_at="")


def _refuse_what_is_no_file(path: Path, shown: str) -> None:
    if path.is_file():
        return
    what = "is a folder" if path.is_dir() else "is a device, a pipe or a socket"
    if not path.exists():
        what = "does not exist"
    raise SourceUnreadable(f"ingestion: {shown} {what}; expected a file: check the path")


def _copy(path: Path, temporary: Path, shown: str) -> tuple[str, int]:
    """Copy in pieces, hash on the way, and have the bytes on disk on return."""
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
