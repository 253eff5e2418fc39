"""Start of the command `rostrum`.

The command line takes half a second to be imported, and Ctrl-C may come in it. This file imports
next to nothing, so that it is there before.
"""

import atexit
import gc
import os
import signal

# As `failures.STOPPED`, which takes time to import.
_STOPPED = 130


def relax_gc() -> None:
    """Raise the garbage collector's thresholds, and skip its last pass, which takes dbt 0.5 s."""
    gc.set_threshold(100_000, 50, 50)
    atexit.register(gc.freeze)


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and 130 from here on."""
    relax_gc()
    # To look for some, Pydantic reads what every installed package says of itself.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A command that was started in the background goes on ignoring Ctrl-C.
    is_heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heeded:
        # No exception: what is being imported may lose it, or make another of it.
        signal.signal(signal.SIGINT, _end)
    from orchestration.cli import main as run

    if is_heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        # As Ctrl-C: what was begun is put in order, and the code is 130.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    run()


def _end(*_: object) -> None:
    os.write(2, b"stopped; nothing was begun\n")
    os._exit(_STOPPED)


if __name__ == "__main__":
    main()
