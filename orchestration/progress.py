"""Where progress and notices go: to whoever listens in this process, such as the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inference.tally import Progress

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


def notice(log: Callable[[str], None]) -> Callable[[str], None]:
    """Return a function that passes a notice, such as whom we wait for, to a log and all hearers.

    Args:
        log: The run's own log, which the web interface shows.
    """

    def pass_on(message: str) -> None:
        log(message)
        for hearer in _hearers:
            hearer(message)

    return pass_on


@contextmanager
def hearing(hearer: Callable[[str], None]) -> Iterator[None]:
    """Hear of every notice in this process meanwhile."""
    _hearers.append(hearer)
    try:
        yield
    finally:
        _hearers.remove(hearer)
