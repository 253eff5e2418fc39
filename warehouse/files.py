"""Files that survive a power cut whole or not at all, and their hashes."""

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
    """Sync a file's bytes, or a folder's entries, after which a rename survives a crash."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a file so that readers see the old bytes or the new ones, never a part.

    Its temporary file is removed when writing fails, or by the next writer after a kill.
    """
    if isinstance(data, str):
        # A lone surrogate is valid in JSON, and in no file.
        data = data.encode("utf-8", "replace")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary, temporary.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces this file if the block succeeds."""
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
    """Return this thread's temporary path for a file, in the same folder."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_native_id():x}.part")


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove temporary files and folders of killed processes.

    Args:
        name: Only those of this file.
    """
    for path in folder.iterdir():
        found = _PART.fullmatch(path.name)
        if found and name in (None, found["name"]) and not _is_alive(int(found["pid"])):
            with contextlib.suppress(OSError):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def is_on_its_way(path: Path) -> bool:
    """Return whether a file is temporary and names its writer."""
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
    """Return whether an error of Python or DuckDB means a full disk."""
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return True
    # Databases have no error class for it: DuckDB repeats the system's words, or cannot offload
    # memory; SQLite has words of its own.
    words = str(error).lower()
    signs = ("no space left", "quota exceeded", "failed to offload data block", "disk is full")
    return any(sign in words for sign in signs)


def sha256_bytes(data: bytes) -> str:
    """Return the SHA-256 of bytes as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
