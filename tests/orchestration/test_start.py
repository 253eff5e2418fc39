"""What it takes to start a command: the modules it imports, and no run where nothing is done."""

import errno
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg
import duckdb
import pytest

from orchestration import loads
from orchestration.assets.published import WAREHOUSE
from orchestration.instance import open_instance
from orchestration.loading_assets import loaded_since, tell_loads
from tests.conftest import run_rostrum
from warehouse.home import Home
from warehouse.reader import current_version

# Prints on its last line of standard error which packages the command has imported.
_SCRIPT = """
import atexit, sys
def tell():
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
atexit.register(tell)
from orchestration.entry import main
main()
"""
_HEAVY = {"dagster", "dbt", "scipy", "statsmodels", "sklearn", "altair"}
_RUN = ("run", "speech-score", "--judge", "simulated/faithful", "--dataset", "sample")


class _Done(NamedTuple):
    out: str
    packages: set[str]


def _command(home: Home, *arguments: str) -> _Done:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *arguments],
        env=os.environ | {"ROSTRUM_HOME": str(home.root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return _Done(done.stdout, set(done.stderr.splitlines()[-1].split()))


def _dagster_runs(home: Home) -> int:
    with sqlite3.connect(home.dagster / "history" / "runs.db") as connection:
        return int(connection.execute("select count(*) from runs").fetchone()[0])


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (("--help",), {"duckdb", "numpy", "pyarrow", "rapidfuzz"}),
        (("ingest", "--help"), {"duckdb", "numpy", "pyarrow", "rapidfuzz"}),
        (("doctor",), {"duckdb", "numpy", "pyarrow", "rapidfuzz"}),
        (("sql", "select 1"), {"duckdb", "numpy", "pyarrow", "rapidfuzz"}),
        (("status",), {"numpy", "pyarrow", "rapidfuzz"}),
        (("judges",), {"duckdb", "numpy", "pyarrow", "rapidfuzz"}),
        (("plan", "speech-score", "--judge", "rule/length"), {"duckdb", "lxml"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_commands_that_only_look_import_nothing_that_they_do_not_need(
    built_demo: Home, arguments: tuple[str, ...], more: set[str]
) -> None:
    assert _command(built_demo, *arguments).packages & (_HEAVY | more | {"pandas"}) == set()


def test_importing_a_file_leaves_dagster_asleep_and_it_hears_of_it_later(
    demo_copy: Callable[[], Home], tmp_path: Path
) -> None:
    home = demo_copy()
    scores = tmp_path / "mine.csv"
    scores.write_text("item,judge,value\nsample:free-buses-expert,acme/one,4\n")
    before = _dagster_runs(home)
    done = _command(home, "import", str(scores), "--no-build")
    assert done.packages & _HEAVY == set()
    assert "mine.csv: 1 record" in done.out
    assert _dagster_runs(home) == before
    key = dg.AssetKey(["sources", "imports"])
    with open_instance(home) as instance:
        newest, earlier = instance.fetch_materializations(key, limit=2).records
        assert _said(newest)["loaded"] == "mine.csv" != _said(earlier)["loaded"]
        assert _said(newest)["new"] == 3
        # Told once: the note is gone.
        assert tell_loads(home, instance) == 0
        assert loaded_since(instance, WAREHOUSE) == [key]


def test_a_load_is_no_failure_where_the_disk_does_not_take_its_note(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(loads, "write_atomically", full)
    loads.leave_note(home, "sources/imports", {})
    assert "loaded, but Dagster will not show it" in capsys.readouterr().err


def _said(event: dg.EventLogRecord) -> dict[str, Any]:
    made = event.asset_materialization
    assert made is not None
    return {name: value.value for name, value in made.metadata.items()}


def test_a_run_with_nothing_to_ask_is_not_recorded(demo_copy: Callable[[], Home]) -> None:
    home = demo_copy()
    before, log = _dagster_runs(home), (home.logs / "commands.jsonl").read_text()
    done = _command(home, *_RUN)
    assert "115 requests: 0 answered now, 115 answered before, 0 failed" in done.out
    assert "no charge" in done.out
    assert f"nothing to build: {current_version(home).name}" in done.out
    assert done.packages & _HEAVY == set()
    assert _dagster_runs(home) == before
    assert (home.logs / "commands.jsonl").read_text() == log


def test_a_run_with_nothing_to_ask_loads_what_a_killed_one_left(
    demo_copy: Callable[[], Home],
) -> None:
    home = demo_copy()
    with duckdb.connect(str(home.build_db)) as connection:
        connection.execute("delete from raw.loads where file like '%speech-score--rule-length--%'")
        connection.execute("delete from raw.runs where run_id like 'speech-score--rule-length--%'")
    before = _dagster_runs(home)
    done = run_rostrum(home, *_RUN, "--no-build")
    assert done.returncode == 0, done.stderr
    assert "0 answered now, 115 answered before" in done.stdout
    assert _dagster_runs(home) == before + 1
    with duckdb.connect(str(home.build_db)) as connection:
        row = connection.execute(
            "select count(*) from raw.runs where run_id like 'speech-score--rule-length--%'"
        ).fetchone()
    assert row == (1,)


def test_a_build_with_nothing_changed_is_not_recorded(demo_copy: Callable[[], Home]) -> None:
    home = demo_copy()
    before = _dagster_runs(home)
    done = _command(home, "build")
    assert "nothing to build" in done.out
    assert done.packages & _HEAVY == set()
    assert _dagster_runs(home) == before


def test_a_build_after_a_judge_was_added_is_one_with_something_to_do(
    demo_copy: Callable[[], Home],
) -> None:
    from orchestration.registry import add_judge, judges_are_loaded

    home = demo_copy()
    with duckdb.connect(str(home.build_db)) as connection:
        assert judges_are_loaded(home, connection)
        add_judge(home, "rule/constant-2", {})
        assert not judges_are_loaded(home, connection)
        home.judges_file.write_text("")
        # Judges that the file no longer names stay.
        assert judges_are_loaded(home, connection)
        home.ensembles_file.write_text("")
        assert not judges_are_loaded(home, connection)


def test_the_module_runs_the_command_line() -> None:
    words = [sys.executable, "-m", "orchestration.entry"]
    listed = subprocess.run([*words, "--help"], capture_output=True, text=True, check=True)
    assert "serve" in listed.stdout
    assert subprocess.run([*words, "nonsense"], capture_output=True, check=False).returncode == 2
