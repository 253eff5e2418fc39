"""How long a judgement that a person hands in on the page waits until readers see it.

`python -m benchmarks.daily.handed_in [--home HOME]`. A copy of the demo's home, which is made first
where none is given, is served as `rostrum serve` does it. Once the servers are at rest, a speech is
scored as the page "Judge yourself" hands it in, and the version that readers see is asked for it
until it is there. The limit beside it is how long a file must lie still before it is taken for
whole. Instead, one may import such a file from a terminal, which is measured afterwards, without a
server.
"""

import argparse
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

import psutil

from benchmarks.dashboard.homes import home_to_measure
from benchmarks.processes import ROSTRUM, rostrum
from benchmarks.report import write_result
from dashboard.oversight.judging.form import SPEECH, Belief, Key, hand_in
from orchestration.sensors import STILL_S
from warehouse.home import Home
from warehouse.reader import current_version, run_query
from warehouse.serving import live_addresses

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


def main() -> None:
    """Measure both ways, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="the demo's home; made first where not given")
    given = parser.parse_args().home
    with TemporaryDirectory() as folder, home_to_measure(given) as source:
        home = Home(Path(folder) / "home")
        shutil.copytree(source.root, home.root, symlinks=True)
        # What was built by other code is built anew.
        rostrum(home, "build")
        with served(home):
            scored(home, "bench-page")
            seconds = wait_until_published(home, "bench-page")
        path = scored(home, "bench-terminal")
        elsewhere = path.rename(Path(folder) / path.name)
        began = time.monotonic()
        rostrum(home, "import", str(elsewhere))
        instead = time.monotonic() - began
        wait_until_published(home, "bench-terminal")
    write_result(
        "handed_in",
        {
            "load_average": round(os.getloadavg()[0], 1),
            "seconds": round(seconds, 1),
            "limit_s_file_at_rest": STILL_S,
            "instead_s_import": round(instead, 1),
        },
    )


if __name__ == "__main__":
    main()
