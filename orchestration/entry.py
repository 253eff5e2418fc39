"""Where the command `rostrum` starts.

The command line takes half a second to be imported, and Ctrl-C may come in it. This file imports
next to nothing, so that it is there before.
"""

import atexit
import gc
import os
import signal
import sys
from types import FrameType

# As `failures.STOPPED`, which takes time to import.
_STOPPED = 130
_WITHOUT_PANDAS = frozenset(
    {"duckdb", "inference", "ingestion", "orchestration", "pyarrow", "warehouse"}
)


class _NoPandas:
    """Makes pandas a package that is not there for what Rostrum calls.

    DuckDB imports it for a query's first parameter, and Arrow for its first array, to see whether
    it is one of pandas'. That takes longer than most commands, and neither they nor what builds has
    any: pages run in processes of their own. What others import for themselves they get.
    """

    def find_spec(self, fullname: str, *_: object) -> None:
        """Refuse pandas, and leave everything else to others."""
        if fullname != "pandas":
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and "importlib" in frame.f_globals["__name__"]:
            frame = frame.f_back
        asked_by = "" if frame is None else frame.f_globals["__name__"].partition(".")[0]
        if asked_by in _WITHOUT_PANDAS:
            raise ModuleNotFoundError(f"No module named '{fullname}'", name=fullname)


def refuse_pandas() -> None:
    """Let nothing that Rostrum calls import pandas in this process, unless it is there already."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas())


def keep_objects() -> None:
    """Look seldom for rings of objects that are in nobody's hands, and not at the end.

    A process that lives for seconds makes hundreds of thousands of objects that last, and few such
    rings. At its end Python would look through all of them, which takes dbt half a second.
    """
    gc.set_threshold(100_000, 50, 50)
    atexit.register(gc.freeze)


def main() -> None:
    """Run the command line; Ctrl-C ends it with one line and 130 from here on."""
    keep_objects()
    # To look for some, Pydantic reads what every installed package says of itself.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    refuse_pandas()
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
