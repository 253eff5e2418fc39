"""The inbox's door: a file put there whole, for the sensor to pick up.

It is how a program that may not write to the warehouse, such as the dashboard, hands in what a
person has decided.
"""

import re
from pathlib import Path

from warehouse.errors import InboxRefused
from warehouse.files import write_atomically
from warehouse.home import Home

# Nothing that leaves the folder, hides in it or cannot be a file's name everywhere.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def drop(home: Home, name: str, content: bytes) -> Path:
    """Put a file into the inbox, whole or not at all, and return where it lies.

    Dropping the same bytes under the same name twice is dropping them once.

    Args:
        name: The file's name: letters, digits, dots, dashes and underscores.

    Raises:
        InboxRefused: The name cannot be used, or another file of that name still waits there.
        OSError: It cannot be written.
    """
    if _NAME.fullmatch(name) is None:
        raise InboxRefused(
            f"inbox: '{name}' cannot be a file's name there; use up to 200 letters, digits, dots, "
            "dashes and underscores, a letter or digit first"
        )
    path = home.inbox / name
    if path.exists():
        if path.read_bytes() == content:
            return path
        raise InboxRefused(
            f"inbox: a file named {name} still waits in {home.inbox}; wait until it is loaded, or "
            "use another name"
        )
    write_atomically(path, content)
    return path
