"""Start a server that ended by itself again, for as long as that helps; leave the others alone."""

import signal
import time
from collections.abc import Callable

from orchestration.servers.processes import ServerProcess, stop

LIMIT = 5
WINDOW_S = 300.0
# The first wait; each further one within the window is twice as long.
WAIT_S = 0.5
LOG_LINES_SHOWN = 15


class Keeper:
    """Keeps one process up."""

    def __init__(
        self, process: ServerProcess, say: Callable[[str], None], timeout_s: float
    ) -> None:
        self.is_given_up = False
        self._process = process
        self._say = say
        self._timeout_s = timeout_s
        self._ends: list[float] = []
        self._start_at: float | None = None
        self._answer_by: float | None = None

    def look(self) -> None:
        """Do what is due: nothing, for a process that runs and answers."""
        now = time.monotonic()
        if self.is_given_up:
            return
        if self._start_at is not None:
            if now >= self._start_at:
                self._process.start()
                self._start_at, self._answer_by = None, now + self._timeout_s
        elif self._process.exit_code is not None:
            self._end(ending(self._process), now)
        elif self._answer_by is not None:
            if self._process.answers():
                self._answer_by = None
                self._say(f"serve: {self._process.service.name} is up again.")
            elif now > self._answer_by:
                self._end(f"does not answer after {self._timeout_s:.0f} s", now)

    def _end(self, problem: str, now: float) -> None:
        """Say what happened, and start the process again later unless it has ended too often."""
        self._ends = [end for end in self._ends if end > now - WINDOW_S] + [now]
        count = len(self._ends)
        within = f"{WINDOW_S / 60:g} minutes"
        if count > LIMIT:
            self.is_given_up = True
            what = (
                f"{problem}; it was started again {LIMIT} times within {within} and now stays "
                "down, the others go on"
            )
        else:
            what = f"{problem}; starting it again ({count} of {LIMIT} times within {within})"
        self._say(report(self._process, what))
        # What it had started in turn must not hold its port.
        stop([self._process])
        self._start_at = now + WAIT_S * 2 ** (count - 1)
        self._answer_by = None


def ending(process: ServerProcess) -> str:
    """Return how a process ended, as text."""
    code = process.exit_code or 0
    how = f"code {code}" if code >= 0 else signal.Signals(-code).name
    return f"ended by itself ({how})"


def report(process: ServerProcess, problem: str) -> str:
    """Return a message with the end of the process's log."""
    lines = process.output().splitlines()[-LOG_LINES_SHOWN:]
    return "\n".join(
        [
            f"serve: {process.service.name} {problem}.",
            *(f"  {line}" for line in lines or ["(it wrote nothing)"]),
            f"Its whole log: {process.log}",
        ]
    )
