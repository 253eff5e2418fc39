"""`rostrum build` on a lake, killed with its dbt or without it while models are made."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.conftest import ROSTRUM, run_rostrum
from tests.faults.conftest import FAULT_RUNS
from warehouse.home import Home
from warehouse.reader import current_version, published_versions
from warehouse.writer import writer_of

pytestmark = [
    pytest.mark.scale("psycopg2", "duckdb_extension_ducklake"),
    pytest.mark.slow,
    # `test_faults_on_lake` kills the writes of a build of few models at chosen points.
    pytest.mark.soak,
]
_FREE_S = 30


@pytest.mark.parametrize("lake", ["folder"], indirect=True)
def test_a_build_killed_with_or_without_its_dbt_leaves_a_lake_that_goes_on(
    lake: str, small_home: Home, small_project: Path
) -> None:
    def done(*words: str) -> str:
        ended = run_rostrum(small_home, *words, project=small_project, timeout=3000)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    done("warehouse", "move", "--to", "lake")
    done("build", "--full")
    began = time.monotonic()
    done("build", "--full")
    seconds = time.monotonic() - began
    draw = random.Random("kill a build on a lake")
    killed = 0
    for number in range(max(4, FAULT_RUNS // 3)):
        before = current_version(small_home)
        building = _start(small_home, small_project)
        time.sleep(draw.uniform(0.2, 1.0) * seconds)
        (os.killpg if number % 2 else os.kill)(building.pid, signal.SIGKILL)
        killed += building.wait() == -signal.SIGKILL
        deadline = time.monotonic() + _FREE_S
        while (holder := writer_of(small_home)) is not None:
            assert time.monotonic() < deadline, f"{holder} outlives the command"
            time.sleep(0.1)
        # One killed after it had published has published.
        assert before in published_versions(small_home)
        done("build", "--full")
        after = current_version(small_home)
        assert after.name > before.name
        done("compare", before.name, after.name)
    assert killed > 1


def _start(home: Home, project: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [ROSTRUM, "--home", home.root, "build", "--full"],
        env=os.environ | {"PYTHONPATH": str(project)},
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
