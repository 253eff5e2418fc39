"""An endpoint that takes a while and counts, for runs whose workers are killed."""

import multiprocessing
import os
import re
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.inference.inference_fixtures import Reaction, Stub, answers, completion

# Of a worker of concurrency 4: requests in flight, and answers that wait for the disk.
UNDER_WAY = 2 * 4


class Scripted(Stub):
    """An endpoint that takes a while, and does something at chosen requests.

    Attributes:
        at: What is done when a request of this number has come.
        most: The most requests that were in flight at once.
    """

    def __init__(self, seconds: float = 0.02) -> None:
        self.at: dict[int, Any] = {}
        self.most = self._in_flight = 0
        super().__init__()
        self._seconds = seconds
        self.react = self._react

    def asked(self) -> Counter[str]:
        return Counter(
            re.findall(r"Speech number \d+", str(body["messages"]))[0] for body in self.bodies
        )

    def _react(self, body: dict[str, Any], number: int) -> Reaction:
        with self._lock:
            self._in_flight += 1
            self.most = max(self.most, self._in_flight)
        self.at.pop(number, lambda: None)()
        time.sleep(self._seconds)
        with self._lock:
            self._in_flight -= 1
        return completion()


def kill_a_worker(number: int = signal.SIGKILL) -> int:
    pid = min(each.pid for each in multiprocessing.active_children() if each.pid)
    os.kill(pid, number)
    return pid


def assert_each_has_one_answer(folder: Path, items: int = 60) -> None:
    ids = [line["request_id"] for line in answers(folder)]
    assert (len(ids), len(set(ids))) == (items, items)
