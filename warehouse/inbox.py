"""The inbox: files for the sensor, from programs without write access such as the dashboard."""

import re
from pathlib import Path

from warehouse.errors import InboxRefused
from warehouse.files import write_atomically
from warehouse.home import Home

# Valid file names everywhere, not hidden and within the folder.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def drop(home: Home, name: str, content: bytes) -> Path:
    """Put a file into the inbox, whole or not at all, and return its path.

    The same bytes under the same name count once.

    Raises:
        InboxRefused: The name cannot be used, or another file of that name still waits there.
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
