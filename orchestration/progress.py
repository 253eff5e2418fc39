"""Progress and notices, and their listeners in this process, such as the command line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from warehouse.safe_text import printable

if TYPE_CHECKING:
    from inference.tally import Progress

# A judge may answer a thousand times a second; nobody reads that fast.
_SHOW_EVERY_S = 0.1

_listeners: list[Callable[[Progress], None]] = []
_hearers: list[Callable[[str], None]] = []


def tell(progress: Progress) -> None:
    """Pass a run's progress on to everyone who listens."""
    for listener in _listeners:
        listener(progress)


@contextmanager
def listening(listener: Callable[[Progress], None]) -> Iterator[None]:
    """Hear of every run's progress in this process meanwhile."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@contextmanager
def progress_bar(name: str) -> Iterator[None]:
    """Show every run's progress in this process on a line of the terminal meanwhile."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import (
        Progress as Bar,
    )

    from inference.prices import as_dollars
    from orchestration.console import terminal

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[cost]}"),
        TextColumn("{task.fields[trouble]}"),
    )
    console = terminal(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(name, total=None, rate="", cost="", trouble="")
        began = shown = time.monotonic()

        def show(progress: Progress) -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown < _SHOW_EVERY_S and progress.done < progress.total:
                return
            shown = now
            bar.update(
                task,
                total=progress.total,
                completed=progress.done,
                rate=f"{progress.new / max(now - began, 1e-9):.1f}/s",
                cost="" if progress.cost_usd is None else as_dollars(progress.cost_usd),
                trouble=f"{progress.failed} failed, {progress.unparsed} unparsed",
            )

        with listening(show):
            yield


def notice(log: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that passes a notice on to a log and to all hearers."""

    def pass_on(message: str) -> None:
        log(message)
        for hearer in _hearers:
            hearer(message)

    return pass_on


def print_notice(message: str) -> None:
    """Print a notice for people beside what a command puts out."""
    print(printable(message), file=sys.stderr, flush=True)  # noqa: T201


@contextmanager
def hearing(hearer: Callable[[str], None]) -> Iterator[None]:
    """Hear of every notice in this process meanwhile."""
    _hearers.append(hearer)
    try:
        yield
    finally:
        _hearers.remove(hearer)
