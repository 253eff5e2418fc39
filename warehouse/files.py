"""Files that survive a power cut: whole and on disk, or not there at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def fsync_folder(folder: Path) -> None:
    """Put a folder's entries on disk, so that a rename in it outlives a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_file(path: Path) -> None:
    """Put a file's bytes on disk, whoever wrote them."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old bytes or the new ones, never a part.

    The temporary file lies beside the target, begins with a dot and is removed when writing fails.

    Args:
        path: The file to write; its folder is made when missing.
        data: The whole content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    fsync_folder(path.parent)


def sha256_bytes(data: bytes) -> str:
    """Return the SHA-256 of some bytes, as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces, as 64 hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
