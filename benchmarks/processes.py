"""What measurements share about processes: their time and memory, and running something in one."""

from __future__ import annotations

import multiprocessing
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
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
