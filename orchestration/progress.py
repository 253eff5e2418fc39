"""Where a run's progress goes: to whoever listens in this process, such as the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inference.tally import Progress

_listeners: list[Callable[[Progress], None]] = []


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
