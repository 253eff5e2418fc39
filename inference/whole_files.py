"""Files that are whole or not there at all."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file by putting it in place when it is whole and on disk.

    Args:
        path: The file; its folder is made where it is missing.
        text: All of its text.
    """
    write_whole_bytes(path, text.encode("utf-8", "replace"))


def write_whole_bytes(path: Path, data: bytes) -> None:
    """Write a file as `write_whole` does a text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
