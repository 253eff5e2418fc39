"""Ctrl-C, TERM and a closed terminal, turned into a request to stop in good order."""

import asyncio
import signal
import threading
from types import FrameType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """While it is entered, signals set `requested` instead of ending the process.

    Outside the main thread, where no handler can be set, it changes nothing.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[signal.Signals, Any] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None

    async def wait(self) -> None:
        """Return once a stop was requested."""
        self._loop, self._event = asyncio.get_running_loop(), asyncio.Event()
        if not self.requested:
            await self._event.wait()

    def request(self) -> None:
        """Ask for a stop, as a signal does."""
        self.requested = True
        if self._loop is not None and self._event is not None:
            self._loop.call_soon_threadsafe(self._event.set)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.request()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        # A second signal may come at any time: its handler must not find a closed loop.
        self._loop = None
        for number, handler in self._previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
