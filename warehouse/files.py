"""Files that survive a power cut: whole and on disk, or not there at all."""

import contextlib
import errno
import hashlib
import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

_PART = re.compile(r"\.(?:(?P<name>.+)\.)?(?P<pid>\d+)(?:-\w+)?\.part")


def fsync(path: Path) -> None:
    """Put on disk a file's bytes, whoever wrote them, or a folder's entries.

    A rename in a folder outlives a crash once its entries are there.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a file so that readers see the old bytes or the new ones, never a part.

    The temporary file lies beside the target, begins with a dot and is removed when writing fails;
    one that a killed writer of the same file left behind is removed here.

    Args:
        path: The file to write; its folder is made when missing.
        data: The whole content; a text is written as UTF-8.
    """
    if isinstance(data, str):
        # Half a surrogate pair is valid in JSON, and in nothing that reads files.
        data = data.encode("utf-8", "replace")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary, temporary.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Make a file under a temporary name; it becomes this file where the block ends well.

    Args:
        path: The file to make or replace; its folder is there.

    Yields:
        Where to write, and to put on disk what is written.
    """
    remove_leftovers(path.parent, path.name)
    temporary = temporary_of(path)
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    fsync(path.parent)


def temporary_of(path: Path) -> Path:
    """Return where this thread makes a file before it has its name; no other writes there.

    Args:
        path: The file, which lies in the same folder.
    """
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id():x}.part")


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove temporary files and folders whose writer was killed; those of living processes stay.

    Args:
        folder: Where to look.
        name: Only those on their way to this file; all when not given.
    """
    for path in folder.iterdir():
        found = _PART.fullmatch(path.name)
        if found and name in (None, found["name"]) and not _is_alive(int(found["pid"])):
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def is_on_its_way(path: Path) -> bool:
    """Say whether a file is temporary and names its writer, who may be alive."""
    return _PART.fullmatch(path.name) is not None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def is_disk_full(error: BaseException) -> bool:
    """Say whether an error, Python's own or DuckDB's, means that a disk has no room left."""
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return True
    # The databases have no error class of their own for it: DuckDB passes the system's words on, or
    # says that it cannot offload what memory does not hold; SQLite has its own.
    words = str(error).lower()
    signs = ("no space left", "quota exceeded", "failed to offload data block", "disk is full")
    return any(sign in words for sign in signs)


def sha256_bytes(data: bytes) -> str:
    """Return the SHA-256 of some bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces, as 64 hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
