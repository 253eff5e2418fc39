"""What becomes of a file in the inbox: it leaves, with the reason beside it where refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingestion.errors import IngestionError
from warehouse.files import write_atomically
from warehouse.home import Home


@contextmanager
def settle(home: Home, path: Path, *, is_inbox: bool) -> Iterator[None]:
    """Take a file out of the inbox once it was imported or refused.

    Imported, it is gone from the inbox: its bytes are in `landing/`. Refused, it goes to
    `inbox/rejected/` with a text file that says why. Anything else that goes wrong leaves it where
    it is, to be tried again.

    Args:
        home: The home.
        path: The file.
        is_inbox: Whether it came from the inbox; others stay where they are.
    """
    try:
        yield
    except IngestionError as error:
        if is_inbox and path.exists():
            rejected = home.inbox / "rejected"
            rejected.mkdir(exist_ok=True)
            write_atomically(rejected / f"{path.name}.reason.txt", f"{error}\n".encode())
            os.replace(path, rejected / path.name)
        raise
    if is_inbox:
        path.unlink(missing_ok=True)
