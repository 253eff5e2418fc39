"""Two writers at once: one waits, says for whom, and both get their way."""

import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.faults.harness import snapshot
from tests.faults.harness.beside import environ_of
from tests.faults.harness.trial import Stage, Trials
from warehouse.errors import WarehouseBusy
from warehouse.home import Home
from warehouse.writer import open_writer

pytestmark = pytest.mark.faults

# Long enough for the second command to come to the lock on a busy machine.
HELD_S = 1.5


def wait_for(path: Path, wait_s: float = 300) -> None:
    deadline = time.monotonic() + wait_s
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never appeared"
        time.sleep(0.01)


@pytest.mark.parametrize(
    "name", ["ingest_changed", "import_changed", "load_journals", "build", "publish_build"]
)
def test_the_second_writer_waits_and_names_the_first(
    name: str, stages: dict[str, Stage], trials: Trials
) -> None:
    stage = stages[name]
    home = trials.copy_of(stage.before)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(trials.run, "hold", home)
        wait_for(home.root.parent / "held")
        second = threads.submit(trials.run, name, home)
        time.sleep(HELD_S)
        assert not second.done()
        (home.root.parent / "release").touch()
    assert first.result().code == 0
    outcome = second.result()
    assert outcome.code == 0, outcome.error
    pid = first.result().pid
    # On a lake the name of the machine follows, and the purpose is cut.
    waited = rf"waiting for process {pid} (on \S+ )?\(a test that hold(s on)?, since"
    assert re.match(waited, outcome.messages[0])
    assert snapshot.published_of(home) == stage.new.published
    assert snapshot.database_of(home)[0] == stage.new.raw


def test_a_writer_that_waited_long_enough_gives_up_and_names_the_holder(
    stages: dict[str, Stage], trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = trials.copy_of(stages["ingest_changed"].before)
    for variable, value in environ_of(home).items():
        monkeypatch.setenv(variable, value)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(trials.run, "hold", home)
        wait_for(home.root.parent / "held")
        with (
            pytest.raises(
                WarehouseBusy, match=r"still held by process \d+ (on \S+ )?\(a test that hold"
            ),
            open_writer(home, "too late", wait_s=0.3),
        ):
            pass
        (home.root.parent / "release").touch()
    assert first.result().code == 0


def test_a_killed_holder_is_not_waited_for(stages: dict[str, Stage], trials: Trials) -> None:
    stage = stages["ingest_changed"]
    home = trials.copy_of(stage.before)
    killed = trials.run("hold", home, kill_when=str(home.root.parent / "held"))
    assert killed.signal == signal.SIGKILL
    outcome = trials.run("ingest_changed", home)
    assert (outcome.code, outcome.messages) == (0, [])
    assert snapshot.database_of(home)[0] == stage.new.raw


def test_writers_that_start_at_once_all_get_their_way(
    stages: dict[str, Stage], trials: Trials
) -> None:
    before = stages["ingest_changed"].before
    names = ["ingest_changed", "import_changed"]
    # Which of them comes first decides which text a score is about.
    expected = [_without_loads(_after(trials, before, order)) for order in (names, names[::-1])]
    for _ in range(5):
        home = trials.copy_of(before)
        with ThreadPoolExecutor(2) as threads:
            outcomes = threads.map(lambda name, home=home: trials.run(name, home), names)
        assert [outcome.code for outcome in outcomes] == [0, 0]
        assert _without_loads(snapshot.database_of(home)[0]) in expected


def _after(trials: Trials, before: Path, names: list[str]) -> snapshot.Rows:
    home: Home = trials.copy_of(before)
    for name in names:
        assert trials.run(name, home).code == 0
    return snapshot.database_of(home)[0]


def _without_loads(rows: snapshot.Rows) -> snapshot.Rows:
    """Leave out the numbers of the loads, which depend on who came first."""
    return {table: found for table, found in rows.items() if table != "loads"}
