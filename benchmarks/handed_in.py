"""How long does a judgement handed in on the page wait until readers see it?

A copy of the demo's home, which is made first
where none is given, is served as `rostrum serve` does it. Once the servers are at rest, a speech is
scored as the page "Judge yourself" hands it in, and the version that readers see is asked for it
until it is there. The limit beside it is how long a file must lie still before it is taken for
whole. Instead, one may import such a file from a terminal, which is measured afterwards, without a
server.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from benchmarks.harness import Budget
from benchmarks.homes import home_to_measure
from benchmarks.processes import ROSTRUM, rostrum
from dashboard.oversight.judging.form import SPEECH, Belief, Key, hand_in
from orchestration.sensors import STILL_S
from warehouse.home import Home
from warehouse.reader import current_version, run_query
from warehouse.serving import live_addresses

NEEDS = "a port and some minutes without other work"
BUDGETS = (
    Budget(
        "a judgement handed in on the page, until published",
        20,
        "seconds",
        "s",
        "limit_s_file_at_rest",
        "instead_s_import",
    ),
)
_POLL_S = 0.2
_AT_REST_S = 20
_MOST_S = 600
_SPEECHES = """
select items.item_id, items.item_hash, scales.dimension, scales.scale_max
from dim_item as items
inner join dim_dimension as scales on items.dataset_id = scales.dataset_id
where items.speech_order is null and items.side is null and items.item_hash is not null
order by items.item_id, scales.dimension
"""


@contextmanager
def served(home: Home) -> Iterator[psutil.Process]:
    """Serve a home until what is done with it is done; gives the process above all others."""
    process = psutil.Popen(
        [sys.executable, "-c", ROSTRUM, "serve"],
        env=os.environ | {"ROSTRUM_HOME": str(home.root)},
        stdout=subprocess.DEVNULL,
    )
    until = time.monotonic() + _MOST_S
    try:
        while live_addresses(home) is None:
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"handed_in: {home.root} is not served; see {home.logs}")
            time.sleep(_POLL_S)
        time.sleep(_AT_REST_S)
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def scored(home: Home, person: str) -> Path:
    """Hand in one person's score of a speech, and return where it lies."""
    item_id, item_hash, dimension, best = run_query(current_version(home), _SPEECHES).rows[0]
    key = Key(person, SPEECH, item_id, dimension)
    at = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    return hand_in(home, key, item_hash, [], Belief(1, float(best), "", at))


def wait_until_published(home: Home, person: str) -> float:
    """Return how many seconds pass until the version that readers see has a person's score."""
    began = time.monotonic()
    asked = f"select count(*) from fct_reader_judgement where person = '{person}'"
    seen = ""
    while time.monotonic() < began + _MOST_S:
        version = current_version(home)
        if version.name != seen and run_query(version, asked).rows[0][0]:
            return time.monotonic() - began
        seen = version.name
        time.sleep(_POLL_S)
    raise TimeoutError(f"handed_in: not published after {_MOST_S} s; see {home.logs}")


def measure(home: Path | None = None) -> dict[str, Any]:
    """Hand in a score on the page, and import one from a terminal."""
    with TemporaryDirectory() as folder, home_to_measure(home) as source:
        copy = Home(Path(folder) / "home")
        shutil.copytree(source.root, copy.root, symlinks=True)
        # What was built by other code is built anew.
        rostrum(copy, "build")
        with served(copy):
            scored(copy, "bench-page")
            seconds = wait_until_published(copy, "bench-page")
        path = scored(copy, "bench-terminal")
        elsewhere = path.rename(Path(folder) / path.name)
        began = time.monotonic()
        rostrum(copy, "import", str(elsewhere))
        instead = time.monotonic() - began
        wait_until_published(copy, "bench-terminal")
    return {
        "seconds": round(seconds, 1),
        "limit_s_file_at_rest": STILL_S,
        "instead_s_import": round(instead, 1),
    }
