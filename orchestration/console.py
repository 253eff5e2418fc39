"""What all commands share: the home of the call, and where they print."""

from __future__ import annotations

import sys

from rich.console import Console

from warehouse.home import Home

# Into a pipe or a file a table is as wide as it needs; on a terminal, as wide as that.
OUT = Console(width=None if sys.stdout.isatty() else 200)
ERR = Console(stderr=True)


class State:
    """What holds for the whole call."""

    home: Home


def say(message: str) -> None:
    """Print a line as it stands."""
    OUT.print(message, markup=False, highlight=False, soft_wrap=True)
