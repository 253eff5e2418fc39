"""What measurements share about processes: their time and memory, and running something in one."""

from __future__ import annotations

import multiprocessing
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from warehouse.home import Home

T = TypeVar("T")
# What `rostrum` runs.
ROSTRUM = "from orchestration.entry import main; main()"


def processor_s(who: int = resource.RUSAGE_CHILDREN) -> float:
    """Return the processor seconds of this process, or of the children that have ended."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def peak_mb() -> float:
    """Return the most memory that this process has taken."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def looking(look: Callable[[], None], every_s: float) -> Iterator[None]:
    """Look at something from a thread, again and again, until the block ends.

    Args:
        look: What it does.
        every_s: Seconds between two looks.
    """
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(every_s):
            look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def python(code: str, *arguments: str, home: Home) -> None:
    """Run code in a process of its own, which works in a home.

    Args:
        code: Python.
        arguments: What it finds behind its name.
        home: The home.
    """
    subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | {"ROSTRUM_HOME": str(home.root)},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def rostrum(home: Home, *arguments: str) -> None:
    """Run a command of Rostrum in a home."""
    python(ROSTRUM, *arguments, home=home)


def apart(measured: Callable[..., T], *arguments: object) -> T:
    """Return what a function returns in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measured, *arguments).result()
