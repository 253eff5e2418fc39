"""`rostrum build` itself, with Dagster and a real dbt, killed in whole and in part.

dbt is a process of its own: it must not outlive the command that started it, and can die before it.
A build takes seconds, so it is killed at chosen places, and at random times in a soak; the writes of
the build and of publish are killed at in `test_kills`.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest

from tests.faults.conftest import FAULT_RUNS, IS_SOAK
from tests.faults.harness import snapshot
from tests.faults.harness.client import Outcome, Pool
from tests.faults.harness.inputs import write_inputs
from tests.faults.harness.mini_dbt import write_project
from tests.faults.harness.points import Plan
from tests.faults.harness.trial import Trials
from tests.faults.test_two_writers import wait_for
from warehouse.home import Home

pytestmark = pytest.mark.faults

# Each takes four commands one after the other.
RANDOM_RUNS = FAULT_RUNS if IS_SOAK else 1


@dataclass
class Builder:
    """Runs commands in homes that have a first version published and newer data loaded."""

    trials: Trials
    before: Path
    old: snapshot.Rows | None = None
    new: snapshot.Rows | None = None
    seconds: float = 0.0

    def run(self, home: Home, *command: str, **job: Any) -> Outcome:
        environ = {"ROSTRUM_TEST_COMMAND": json.dumps(command), **job.pop("environ", {})}
        output = str(home.root.parent / "output")
        return self.trials.run("rostrum", home, output=output, environ=environ, **job)

    def build_and_hold(self, home: Home, **job: Any) -> Outcome:
        """Build with a dbt that stops in its middle and waits for `let-go`."""
        return self.run(home, "build", environ={"ROSTRUM_TEST_HOLD": str(home.root.parent)}, **job)

    def output(self, home: Home) -> str:
        path = home.root.parent / "output"
        return path.read_text() if path.exists() else ""

    def assert_goes_on(self, home: Home) -> None:
        """Build again, and find the same as after an undisturbed build."""
        outcome = self.run(home, "build")
        assert outcome.code == 0, self.output(home)
        assert snapshot.published_of(home) == self.new
        assert snapshot.database_of(home)[1] == (6, 6, "")
        assert not [name for name in snapshot.file_names(home) if name.endswith(".part")]

    def assert_refused(self, home: Home) -> None:
        """Try to publish what a build cut short has left."""
        before = self.trials.copy_of(home.root)
        outcome = self.trials.run("publish_build", before)
        assert outcome.code == 1
        assert outcome.error.startswith("publish: build ")
        assert snapshot.published_of(before) == self.old


@pytest.fixture(scope="module")
def builder(workplace: Path) -> Iterator[Builder]:
    folder = workplace / "dbt"
    project = write_project(folder / "project")
    pool = Pool(2, workplace / "server.log", preload=project)
    trials = Trials(pool, write_inputs(folder / "inputs"), folder)
    built = Builder(trials, folder / "before" / "home")
    Home(built.before).ensure()
    trials.run("ingest_first", Home(built.before))
    outcome = built.run(Home(built.before), "build")
    assert outcome.code == 0, built.output(Home(built.before))
    trials.run("ingest_changed", Home(built.before))
    built.old = snapshot.published_of(Home(built.before))
    undisturbed = built.trials.copy_of(built.before)
    built.seconds = built.run(undisturbed, "build").seconds
    built.new = snapshot.published_of(undisturbed)
    assert built.new not in (built.old, None)
    yield built
    pool.close()


def _dbt_of(home: Home) -> int:
    return int((home.root.parent / "holding").read_text())


def _end(pid: int) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        process.kill()
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.02)


def test_a_dbt_ends_with_its_killed_command_and_the_next_build_need_not_wait(
    builder: Builder,
) -> None:
    home = builder.trials.copy_of(builder.before)
    killed = builder.build_and_hold(home, kill_when=str(home.root.parent / "holding"))
    assert killed.signal == signal.SIGKILL
    dbt = psutil.Process(_dbt_of(home)) if psutil.pid_exists(_dbt_of(home)) else None
    _, alive = psutil.wait_procs([dbt] if dbt else [], timeout=5)
    assert [left for left in alive if left.status() != psutil.STATUS_ZOMBIE] == []
    assert snapshot.published_of(home) == builder.old
    builder.assert_refused(home)
    builder.assert_goes_on(home)
    assert "waiting for" not in builder.output(home)


def test_a_dbt_killed_alone_is_a_failed_build_by_name(builder: Builder) -> None:
    home = builder.trials.copy_of(builder.before)
    with ThreadPoolExecutor(1) as threads:
        building = threads.submit(builder.build_and_hold, home)
        wait_for(home.root.parent / "holding")
        _end(_dbt_of(home))
        outcome = building.result()
    assert outcome.code == 1, builder.output(home)
    assert "error: build: dbt ended without a readable account" in builder.output(home)
    assert "Traceback" not in builder.output(home)
    assert snapshot.published_of(home) == builder.old
    builder.assert_refused(home)
    builder.assert_goes_on(home)


def test_a_command_killed_before_during_or_after_dbt_goes_on(builder: Builder) -> None:
    def attempt(where: str) -> list[str]:
        home = builder.trials.copy_of(builder.before)
        if where == "with its dbt":
            # Both die; what dbt had built by then stays half.
            holding = str(home.root.parent / "holding")
            killed = builder.build_and_hold(home, kill_when=holding, kill_group=True)
            _end(_dbt_of(home))
        else:
            killed = builder.run(home, "build", plan=Plan("kill", point=where))
        assert killed.signal == signal.SIGKILL, f"{where}: {builder.output(home)}"
        assert snapshot.published_of(home) == builder.old
        builder.assert_refused(home)
        builder.assert_goes_on(home)
        return []

    places = [
        "execute insert into audit.builds values after #1",
        "execute update audit.builds set finished_at before #1",
    ]
    if IS_SOAK:
        # The tests above kill each of the two alone in that place.
        places.append("with its dbt")
    assert builder.trials.each(attempt, places) == []


@pytest.mark.soak
def test_a_build_killed_at_a_random_time_goes_on(builder: Builder) -> None:
    draw = random.Random("kill a build")
    cases = [
        (draw.uniform(0.1, builder.seconds), bool(number % 2)) for number in range(RANDOM_RUNS)
    ]

    def attempt(case: tuple[float, bool]) -> list[str]:
        home = builder.trials.copy_of(builder.before)
        outcome = builder.run(home, "build", kill_after=case[0], kill_group=case[1])
        assert outcome.signal == signal.SIGKILL or outcome.code == 0
        assert snapshot.published_of(home) in (builder.old, builder.new)
        builder.assert_goes_on(home)
        return []

    assert builder.trials.each(attempt, cases) == []


def test_of_two_builds_at_once_one_says_for_whom_it_waits_and_finds_nothing_to_do(
    builder: Builder,
) -> None:
    home = builder.trials.copy_of(builder.before)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(builder.build_and_hold, home)
        wait_for(home.root.parent / "holding")
        second = threads.submit(builder.run, home, "build")
        said = "(build, since "
        deadline = time.monotonic() + 60
        while said not in builder.output(home) and time.monotonic() < deadline:
            time.sleep(0.05)
        (home.root.parent / "let-go").touch()
        codes = [first.result().code, second.result().code]
    assert codes == [0, 0], builder.output(home)
    assert f"waiting for process {first.result().pid} (build, since" in builder.output(home)
    assert snapshot.published_of(home) == builder.new
    assert "nothing to build: v000002" in builder.output(home)


def test_whole_commands_on_a_full_file_system_end_with_a_clear_error(
    builder: Builder, resized: Callable[[str], Path]
) -> None:
    home = Home(resized("64m") / "trial" / "home")
    shutil.copytree(builder.before, home.root, symlinks=True)
    for spare_kb, command in (
        (0, ["ingest", "speeches", "--from", str(builder.trials.inputs / "first/speeches.csv")]),
        (16, ["import", str(builder.trials.inputs / "first/scores.csv")]),
        (96, ["build"]),
    ):
        log = builder.trials.folder / f"full-{spare_kb}" / "home"
        log.parent.mkdir()
        resized(f"{shutil.disk_usage(home.root).used // 1024 + spare_kb}k")
        environ = {"ROSTRUM_TEST_COMMAND": json.dumps(command)}
        job = builder.trials.job("rostrum", home, output=str(log), environ=environ)
        outcome = builder.trials.pool.run(job)
        said = log.read_text()
        assert outcome.code == 1, f"{command}: {outcome.error}"
        assert "error: " in said, said
        assert "Traceback" not in said, said
        assert snapshot.published_of(home) == builder.old
    resized("64m")
    builder.assert_goes_on(home)


# Two at once without a kill are above, and each killed alone here and in `test_kills`.
@pytest.mark.soak
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["run", "--no-build", "speech-score", "--judge", "rule/length"], id="run"),
        pytest.param(["import", "--no-build", "changed/scores.csv"], id="import"),
    ],
)
def test_two_commands_killed_side_by_side_both_go_on(builder: Builder, command: list[str]) -> None:
    arguments = [command[0], *(_input(builder, one) for one in command[1:])]
    expected = builder.trials.copy_of(builder.before)
    assert builder.run(expected, *arguments).code == 0, builder.output(expected)
    scores = _answers_of(expected)
    draw = random.Random(f"kill {command[0]} and a build")
    for _ in range(RANDOM_RUNS):
        home = builder.trials.copy_of(builder.before)
        with ThreadPoolExecutor(2) as threads:
            both = [
                threads.submit(builder.run, home, *one, kill_after=draw.uniform(0.1, seconds))
                for one, seconds in ((["build"], builder.seconds), (arguments, 3.0))
            ]
        for ended in both:
            assert ended.result().signal == signal.SIGKILL or ended.result().code == 0
        assert snapshot.published_of(home) in (builder.old, builder.new)
        assert [_left_behind(ended.result().pid) for ended in both] == [[], []]
        assert builder.run(home, *arguments).code == 0, builder.output(home)
        builder.assert_goes_on(home)
        assert _answers_of(home) == scores
        assert {n for run in snapshot.journal_answers(home).values() for n in run.values()} <= {1}
        assert "Traceback" not in builder.output(home)


def _input(builder: Builder, argument: str) -> str:
    path = builder.trials.inputs / argument
    return str(path) if path.is_file() else argument


def _answers_of(home: Home) -> list[str]:
    with duckdb.connect(str(home.build_db), read_only=True) as connection:
        return sorted(
            str(row)
            for row in connection.execute(
                "select judge_id, item_id, value from raw.scores"
            ).fetchall()
        )


def _left_behind(group: int) -> list[int]:
    """Return the processes of a killed command that are still at work a moment later."""
    deadline, left = time.monotonic() + 5, [0]
    while left and time.monotonic() < deadline:
        left = [one.pid for one in psutil.process_iter() if _group_of(one) == group]
        time.sleep(0.05)
    return left


def _group_of(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
        if process.status() != psutil.STATUS_ZOMBIE:
            return os.getpgid(process.pid)
    return -1
