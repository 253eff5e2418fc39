"""One stage under one fault: what must hold right after it, and after the same command again."""

from __future__ import annotations

import itertools
import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from tests.faults.harness import snapshot
from tests.faults.harness.beside import environ_of
from tests.faults.harness.client import Job, Outcome, Pool
from tests.faults.harness.points import Plan
from tests.faults.harness.snapshot import Rows
from warehouse.home import Home


@dataclass(frozen=True)
class State:
    raw: Rows
    published: Any
    journals: Any
    items: Any
    files: list[str]
    build: tuple[Any, ...] | None

    def differences(self, other: State) -> list[str]:
        """Name the parts that differ."""
        found = []
        for name, mine in vars(self).items():
            theirs = getattr(other, name)
            if mine != theirs:
                found.append(f"{name}: {_first_difference(mine, theirs)}")
        return found


def _first_difference(mine: Any, theirs: Any) -> str:
    if isinstance(mine, dict) and isinstance(theirs, dict):
        keys = [key for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)]
        return f"{keys[0]}: {_first_difference(mine.get(keys[0]), theirs.get(keys[0]))}"
    if isinstance(mine, list) and isinstance(theirs, list):
        gone = [row for row in mine if row not in theirs][:2]
        extra = [row for row in theirs if row not in mine][:2]
        return f"missing {gone}, extra {extra}, {len(mine)} against {len(theirs)}"[:300]
    return f"{mine!r} against {theirs!r}"[:300]


def state_of(home: Home) -> State:
    """Write down a home's state, failing where a file is torn or a pointer leads nowhere."""
    raw, build = snapshot.database_of(home)
    return State(
        raw=raw,
        published=snapshot.published_of(home),
        journals=snapshot.journal_answers(home),
        items=snapshot.item_files(home),
        files=snapshot.file_names(home),
        build=build,
    )


@dataclass
class Stage:
    """A stage with the home it starts from, and what it did there undisturbed."""

    name: str
    before: Path
    old: State
    new: State
    states: list[Rows]
    whole: Rows | None
    seconds: float
    points: dict[str, list[str]] = field(default_factory=dict)


class Trials:
    """Runs stages under faults in copies of their homes, on all servers of a pool."""

    def __init__(self, pool: Pool, inputs: Path, folder: Path) -> None:
        self.pool = pool
        self.inputs = inputs
        self.folder = folder
        self._number = itertools.count()
        self._known: dict[str, set[str]] = defaultdict(set)

    def empty(self) -> Home:
        return Home(self._new_folder() / "home").ensure()

    def copy_of(self, before: Path, folder: Path | None = None) -> Home:
        place = (folder or self._new_folder()) / "home"
        shutil.copytree(before, place, symlinks=True)
        return Home(place)

    def remove(self, home: Home) -> None:
        shutil.rmtree(home.root.parent)

    def _new_folder(self) -> Path:
        folder = self.folder / f"trial-{next(self._number)}"
        folder.mkdir()
        return folder

    def run(self, name: str, home: Home, plan: Plan | None = None, **job: Any) -> Outcome:
        return self.pool.run(self.job(name, home, plan, **job))

    def job(self, name: str, home: Home, plan: Plan | None = None, **job: Any) -> Job:
        planned = (plan or Plan())._asdict()
        environ = environ_of(home) | job.pop("environ", {})
        return Job(name, str(home.root), str(self.inputs), plan=planned, environ=environ, **job)

    def each(self, attempt: Callable[[Any], list[str]], cases: Iterable[Any]) -> list[str]:
        """Try all cases, as many at a time as there are servers, and return every problem."""
        with ThreadPoolExecutor(self.pool.size) as threads:
            return [problem for found in threads.map(attempt, cases) for problem in found]

    def problems(
        self,
        stage: Stage,
        case: str,
        plan: Plan | None = None,
        *,
        after: Callable[[Outcome], list[str]],
        **job: Any,
    ) -> list[str]:
        """Run a stage under a fault, look, run it again undisturbed, look again."""
        home = self.copy_of(stage.before)
        found: list[str] = []
        try:
            found += after(self.run(stage.name, home, plan, **job))
            disk = snapshot.fingerprint(home)
            if disk in self._known[stage.name]:
                return _told(stage, case, found)
            self._known[stage.name].add(disk)
            found += self._wrong_after_fault(stage, home)
            again = self.run(stage.name, home)
            if again.code != 0:
                found.append(f"the next command failed: {again.error}")
            else:
                found += stage.new.differences(state_of(home))
        except (AssertionError, duckdb.Error, OSError) as error:
            found.append(f"{type(error).__name__}: {error}")
        finally:
            self.remove(home)
        return _told(stage, case, found)

    def _wrong_after_fault(self, stage: Stage, home: Home) -> list[str]:
        found = []
        if snapshot.published_of(home) not in (stage.old.published, stage.new.published):
            found.append("readers see neither the version of before nor the new one")
        raw, _ = snapshot.database_of(home)
        if raw not in (stage.old.raw, *stage.states):
            found.append(f"raw holds half a load: {_first_difference(stage.old.raw, raw)}")
        if stage.name == "build":
            found += self._wrong_if_published(stage, home)
        return found

    def _wrong_if_published(self, stage: Stage, home: Home) -> list[str]:
        """Say what is wrong if a build cut short is neither refused nor whole."""
        home = self.copy_of(home.root)
        outcome = self.run("publish_build", home)
        published = snapshot.published_of(home)
        self.remove(home)
        if outcome.code == 1 and outcome.error.startswith("publish: "):
            return []
        return [] if published == stage.whole else [f"a half build was published: {outcome}"]


def _told(stage: Stage, case: str, problems: list[str]) -> list[str]:
    return [f"{stage.name}, {case}: {problem}" for problem in problems]


def record(trials: Trials, name: str, before: Path, layers: Iterable[str]) -> Stage:
    points: dict[str, list[str]] = {}
    old = state_of(Home(before))
    # A database without a table, as the first migration finds it, is no half load.
    states: list[Rows] = [] if old.raw else [{}]
    for layer in layers:
        home = trials.copy_of(before)
        log = home.root.parent / "points"
        outcome = trials.run(name, home, Plan("record", layer, log=str(log)))
        assert outcome.code == 0, f"{name} fails undisturbed: {outcome.error}"
        lines = log.read_text().splitlines() if log.exists() else []
        points[layer] = [line.replace(f"{home.root}/", "") for line in lines]
        commits = Path(f"{log}.states")
        if commits.exists():
            states += [json.loads(line) for line in commits.read_text().splitlines()]
    home = trials.copy_of(before)
    outcome = trials.run(name, home)
    new = state_of(home)
    whole = None
    if name == "build":
        trials.run("publish_build", home)
        whole = snapshot.published_of(home)
    return Stage(name, before, old, new, [*states, new.raw], whole, outcome.seconds, points)
