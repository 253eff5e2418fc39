"""Where the command `rostrum` starts.

The command line takes half a second to be imported, and Ctrl-C may come in it. This file imports
next to nothing, so that it is there before.
"""

from __future__ import annotations

import os
import signal
import sys

# As `failures.STOPPED`, which takes time to import.
_STOPPED = 130


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and 130 from here on."""
    # For a query's first parameter DuckDB imports pandas, to see whether it is one of its NaTs.
    # That takes longer than most commands, and none has any. dbt and pages run in other processes.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
    # A command that was started in the background goes on ignoring Ctrl-C.
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heeded:
        # No exception: what is being imported may lose it, or make another of it.
        signal.signal(signal.SIGINT, _end)
    from orchestration.cli import main as run

    if is_heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _end(*_: object) -> None:
    os.write(2, b"stopped; nothing was begun\n")
    os._exit(_STOPPED)
