"""What is lost or broken when builders are killed, Postgres restarts and the store is away.

Run `python -m benchmarks.scale.faults builders|postgres|store|journals [--times 5]`; it starts a
Postgres and a stand-in for an S3 store itself. Moments are drawn from the length of what they
interrupt, so that they fall anywhere in it. A row is lost that a load committed and the last
version lacks, or holds twice; a load is torn that failed and left a part; a version is broken of
which two marts do not agree, or that cannot be read. Requests are counted at the endpoint.
"""

import argparse
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.report import write_result
from benchmarks.scale.shards import asked
from inference.errors import InferenceError
from inference.shards.asking import Shards
from inference.shards.places import VARIABLE
from tests.inference.scripted import Scripted
from tests.scale import ratings
from tests.scale.conftest import Postgres, Store, a_postgres
from warehouse.errors import WarehouseError
from warehouse.home import Home
from warehouse.lake.settings import DATA_SETTING, SETTING
from warehouse.publish import VERSIONS_KEPT
from warehouse.reader import current_version, published_versions, run_query
from warehouse.writer import writer_of

# Shorter and longer than a worker's lease, and than what clients of S3 try again for.
_OUTAGES_S = (2.0, 5.0, 10.0, 20.0, 30.0)
_REQUESTS = 160


class Lab:
    """A lake that loads and builds are tried on while something else goes wrong.

    Args:
        home: A home, whose lake is set and empty.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        # Loads that were committed, and those that failed.
        self.committed: list[str] = []
        self.failed: list[str] = []
        self.errors: set[str] = set()
        self.broken = self.builds_failed = 0

    def load(self) -> None:
        """Load what no load had before."""
        name = f"annotator-{len(self.committed) + len(self.failed)}"
        try:
            ratings.load_ratings(self._home, name, 0)
            self.committed.append(name)
        except (WarehouseError, duckdb.Error) as error:
            self.failed.append(name)
            self.errors.add(type(error).__name__)

    def build(self) -> None:
        """Build and publish."""
        try:
            ratings.build_ratings(self._home)
        except (WarehouseError, duckdb.Error) as error:
            self.builds_failed += 1
            self.errors.add(type(error).__name__)

    def look(self) -> None:
        """Read every version there is."""
        for version in published_versions(self._home)[-VERSIONS_KEPT:]:
            try:
                self.broken += any(ratings.read_ratings(version))
            except (WarehouseError, duckdb.Error):
                self.broken += 1

    def found(self) -> dict[str, Any]:
        """Build once more, and compare what is there with what was committed."""
        ratings.build_ratings(self._home)
        self.look()
        rows = run_query(
            current_version(self._home),
            "select annotator_id, count(*) from fct_rating group by annotator_id",
        ).rows
        there = dict(rows)
        whole = ratings.ROWS_PER_LOAD
        return {
            "loads_committed": len(self.committed),
            "loads_refused": len(self.failed),
            "builds_refused": self.builds_failed,
            "errors": sorted(self.errors),
            "rows_lost": sum(abs(whole - there.get(name, 0)) for name in self.committed),
            "loads_torn": sum(there.get(name, 0) not in (0, whole) for name in self.failed),
            "versions_broken": self.broken,
            "last_version": current_version(self._home).number,
        }


def builder_kills(home: Home, times: int) -> dict[str, Any]:
    """Kill builders, each at another moment of its build."""
    lab, draw = Lab(home), random.Random("builders")
    lab.load()
    lab.build()
    began = time.monotonic()
    lab.build()
    build_s = time.monotonic() - began
    holding = 0
    for _ in range(times):
        lab.load()
        builder = ratings.start("build", "builder")
        while f"process {builder.pid} " not in (writer_of(home) or "") and builder.poll() is None:
            time.sleep(0.05)
        time.sleep(draw.uniform(0.0, build_s))
        holding += f"process {builder.pid} " in (writer_of(home) or "")
        builder.kill()
        builder.wait()
        lab.look()
        lab.build()
        lab.look()
    return {"killed": times, "of_them_while_they_built": holding, **lab.found()}


def postgres_restarts(home: Home, times: int, postgres: Postgres) -> dict[str, Any]:
    """Stop Postgres at once and start it again while one loads and another builds."""

    def restart() -> None:
        postgres.stop()
        postgres.start()

    lab, draw = Lab(home), random.Random("restarts")
    lab.load()
    lab.build()
    began = time.monotonic()
    lab.load()
    load_s = time.monotonic() - began
    builders_failed = 0
    for number in range(times):
        builder = ratings.start("build", "builder")
        while number % 2 and writer_of(home) is None and builder.poll() is None:
            time.sleep(0.05)
        with _meanwhile(draw.uniform(0.0, load_s), restart):
            lab.load()
        builders_failed += builder.wait() != 0
        lab.load()
        lab.look()
    return {"restarts": times, "builders_that_failed": builders_failed, **lab.found()}


def store_outages(home: Home, times: int, away: Callable[[float], None]) -> dict[str, Any]:
    """Take the store away while a load and a build go on."""
    lab, draw = Lab(home), random.Random("outages")
    lab.load()
    lab.build()
    began = time.monotonic()
    lab.load()
    lab.build()
    both_s = time.monotonic() - began
    outages = [_OUTAGES_S[number % len(_OUTAGES_S)] for number in range(times)]
    for seconds in outages:
        with _meanwhile(draw.uniform(0.0, both_s), partial(away, seconds)):
            lab.load()
            lab.build()
        lab.look()
    return {"outages_s": outages, **lab.found()}


def journal_outages(times: int, away: Callable[[float], None]) -> dict[str, Any]:
    """Take the store of journals away in the midst of runs in shards."""
    outages = [_OUTAGES_S[number % len(_OUTAGES_S)] for number in range(times)]
    runs = [_run_without_store(seconds, away) for seconds in outages]
    return {
        "outages_s": outages,
        "starts": [each.pop("starts") for each in runs],
        **{name: sum(each[name] for each in runs) for name in runs[0]},
    }


def _run_without_store(seconds: float, away: Callable[[float], None]) -> dict[str, int]:
    """Take the store of journals away in the midst of a run, and start it again where it ended."""
    scripted = Scripted()
    scripted.at = {_REQUESTS // 2: lambda: threading.Thread(target=away, args=[seconds]).start()}
    starts = 0
    with tempfile.TemporaryDirectory() as folder:
        while True:
            starts += 1
            try:
                _, answers = asked(Path(folder), scripted.url, _REQUESTS, 8, Shards(3))
            except InferenceError:
                time.sleep(seconds / 2)
                continue
            break
    sent = scripted.asked()
    scripted.close()
    ids = {line["request_id"] for line in answers}
    return {
        "starts": starts,
        "requests": _REQUESTS,
        "asked_twice": sum(sent.values()) - len(sent),
        "answered_and_asked_again": len(answers) - len(ids),
        "answers_lost": _REQUESTS - len(ids),
    }


@contextmanager
def _meanwhile(seconds: float, happen: Callable[[], None]) -> Iterator[None]:
    """Let something happen after so long, and be over before it goes on."""

    def wait_first() -> None:
        time.sleep(seconds)
        happen()

    thread = threading.Thread(target=wait_first)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["builders", "postgres", "store", "journals"])
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    store = Store()
    os.environ |= store.environment

    def away(seconds: float) -> None:
        store.stop()
        time.sleep(seconds)
        store.start_again()

    with a_postgres() as postgres, tempfile.TemporaryDirectory() as folder:
        os.environ["ROSTRUM_HOME"] = folder
        os.environ[SETTING] = f"ducklake:postgres:{postgres.new_database()}"
        os.environ[DATA_SETTING] = f"{store.new_bucket()}/lab"
        os.environ[VARIABLE] = f"{store.new_bucket()}/journals"
        home = Home(Path(folder)).ensure()
        began = time.monotonic()
        found = {
            "builders": lambda: builder_kills(home, options.times),
            "postgres": lambda: postgres_restarts(home, options.times, postgres),
            "store": lambda: store_outages(home, options.times, away),
            "journals": lambda: journal_outages(options.times, away),
        }[options.what]()
        found["seconds"] = round(time.monotonic() - began, 1)
    store.stop()
    write_result("scale_faults", found, options.what)


if __name__ == "__main__":
    main()
