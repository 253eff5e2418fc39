"""How far a build is: what is done of what is to do, and how long the rest takes.

dbt's results are followed as they come. What each model and test took the last time is kept, and
where that is known of everything still to do, it says how long the rest will take.
"""

import io
import json
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from warehouse.audit import RUN_RESULTS
from warehouse.files import write_atomically
from warehouse.home import Home

_TROUBLE = re.compile(r"\b(ERROR (?!=)|FAIL \d|Failure in|Error in|Got \d)")
# Where nobody watches a line move, it is said again after so long.
_SAY_EVERY_S = 15.0
# The estimate follows this machine's pace once so much of the build is done.
_PACE_FROM = 0.2
_MINUTE_S = 60


class Building(NamedTuple):
    """How far a build is.

    Attributes:
        doing: What is being done.
        done: Models, seeds and tests that are done.
        total: How many there are to do; 0 where they are not counted.
        seconds_left: How long the rest takes; None where that is not known.
    """

    doing: str
    done: int = 0
    total: int = 0
    seconds_left: float | None = None

    @property
    def sentence(self) -> str:
        """What to show of it."""
        if not self.total:
            return self.doing
        said = f"{self.doing}: {self.done:,} of {self.total:,} models and tests"
        if self.seconds_left is None:
            return said
        if self.seconds_left >= 2 * _MINUTE_S:
            return f"{said}, about {self.seconds_left / _MINUTE_S:.0f} min left"
        return f"{said}, about {max(1, round(self.seconds_left))} s left"


_watchers: list[Callable[[Building], None]] = []


def tell(building: Building) -> None:
    """Pass on how far a build is to everyone who watches in this process."""
    for watcher in _watchers:
        watcher(building)


class Follower:
    """Counts what a build has done, and tells.

    Args:
        nodes: The unique ids of what is to be built and tested.
        seconds: What each took the last time, as far as it is known.
    """

    def __init__(self, nodes: Collection[str], seconds: Mapping[str, float]) -> None:
        self._left = set(nodes)
        self._total = len(self._left)
        known = self._left <= seconds.keys()
        self._seconds = {name: seconds[name] for name in self._left} if known else {}
        self._expected = sum(self._seconds.values())
        self._began: float | None = None
        self._tell()

    def hear(self, name: str) -> None:
        """Count a model or test that is done.

        Args:
            name: Its unique id.
        """
        self._left.discard(name)
        # Not before: dbt reads the project first, which takes as long for one model as for all.
        if self._began is None:
            self._began = time.monotonic() - self._seconds.get(name, 0.0)
        self._tell()

    def _tell(self) -> None:
        done = self._total - len(self._left)
        tell(Building("building", done, self._total, self._seconds_left()))

    def _seconds_left(self) -> float | None:
        if not self._seconds:
            return None
        left = sum(self._seconds[name] for name in self._left)
        done = self._expected - left
        if self._began is None or done < _PACE_FROM * self._expected:
            return left
        return left * (time.monotonic() - self._began) / done


def durations(home: Home) -> dict[str, float]:
    """Return what each model and test took when it was last built, as its share of the build."""
    try:
        found: dict[str, float] = json.loads(_durations_file(home).read_bytes())
    except (OSError, ValueError):
        return {}
    return found


def keep_durations(home: Home) -> None:
    """Keep what each model and test took in the build that has just ended."""
    try:
        results = json.loads((home.dbt_target / RUN_RESULTS).read_bytes())["results"]
    except (OSError, ValueError):
        return
    times = [each for result in results for each in result.get("timing", ())]
    begun = [datetime.fromisoformat(each["started_at"]) for each in times]
    ended = [datetime.fromisoformat(each["completed_at"]) for each in times]
    total = sum(result["execution_time"] for result in results)
    if not times or not total:
        return
    # Several run at a time: the shares add up to what the clock said.
    share = (max(ended) - min(begun)).total_seconds() / total
    found = {
        result["unique_id"]: round(result["execution_time"] * share, 4)
        for result in results
        if result["status"] in ("success", "pass", "warn") and result["execution_time"]
    }
    # That a full disk does not take it must not fail what was built.
    with suppress(OSError):
        write_atomically(_durations_file(home), json.dumps(durations(home) | found).encode())


def _durations_file(home: Home) -> Path:
    return home.root / "warehouse" / "durations.json"


@contextmanager
def watched() -> Iterator[None]:
    """Show how far a build is: one moving line on a terminal, else a few lines.

    What fails in dbt's log stays in view; the rest of it is in the log file.
    """
    from orchestration.console import terminal

    console = terminal(stderr=True)
    said = time.monotonic() - _SAY_EVERY_S
    before = Building("")
    with console.status("starting") as status:

        class Log(io.TextIOBase):
            def write(self, text: str) -> int:
                for line in text.splitlines():
                    if _TROUBLE.search(line):
                        console.print(line, markup=False, highlight=False)
                return len(text)

        def show(building: Building) -> None:
            nonlocal said, before
            if console.is_terminal:
                status.update(building.sentence)
                return
            now = time.monotonic()
            if building.doing != before.doing or now - said >= _SAY_EVERY_S:
                console.print(building.sentence, markup=False, highlight=False, soft_wrap=True)
                said, before = now, building

        _watchers.append(show)
        try:
            with redirect_stdout(Log()):
                yield
        finally:
            _watchers.remove(show)
