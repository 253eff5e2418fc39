"""A process on a tether ends with the process that started it, however that one ends."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

PARENT = """
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN if sys.argv[2:] else signal.SIG_DFL)
tether = ["-m", "orchestration.tether", f"parent={os.getpid()}", "sleeper"]
subprocess.Popen([sys.executable, *tether], cwd=sys.argv[1]).wait()
"""
REPORT = """
import sys
from pathlib import Path
from orchestration.commands.reports.study import made_by_dashboard
from warehouse.home import Home
made_by_dashboard("report", Home(Path(sys.argv[1])), "sleeper", [])
"""
SLEEPER = """
import sys, time
print("asleep", file=sys.stderr, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("deaf", [[], ["as in the background of a shell"]])
def test_a_tethered_child_of_a_killed_parent_ends_interrupted_if_it_listens(
    tmp_path: Path, deaf: list[str]
) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    said = tmp_path / "said"
    with said.open("w") as out:
        parent = psutil.Popen([sys.executable, "-c", PARENT, str(tmp_path), *deaf], stderr=out)
    while said.read_text() != "asleep\n":
        assert parent.is_running()
        time.sleep(0.05)
    children = parent.children()
    parent.kill()
    parent.wait(10)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []
    assert ("KeyboardInterrupt" in said.read_text()) is not bool(deaf)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL])
def test_the_program_that_draws_a_report_ends_with_the_command(number: int, tmp_path: Path) -> None:
    said = tmp_path / "said"
    (tmp_path / "sleeper.py").write_text(
        f"import pathlib, time\npathlib.Path({str(said)!r}).touch()\ntime.sleep(600)\n"
    )
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    parent = psutil.Popen(
        [sys.executable, "-c", REPORT, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": paths},
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
    )
    while not said.exists():
        assert parent.is_running()
        time.sleep(0.05)
    children = parent.children()
    assert len(children) == 1
    parent.send_signal(number)
    parent.wait(10)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []


def test_a_tethered_module_ends_without_looking_for_what_is_in_nobodys_hands(
    tmp_path: Path,
) -> None:
    """What is written is written: a file that is open, and what is registered for the end."""
    (tmp_path / "ringed.py").write_text(
        "import atexit, os\n"
        "class Ring:\n"
        "    def __del__(self):\n"
        "        os.write(1, b'looked ')\n"
        "ring = Ring()\n"
        "ring.itself = ring\n"
        "file = open('written', 'w')\n"
        "file.write('whole')\n"
        "atexit.register(lambda: os.write(1, b'registered '))\n"
    )
    tether = [sys.executable, "-m", "orchestration.tether", f"parent={os.getpid()}"]
    done = subprocess.run([*tether, "ringed"], cwd=tmp_path, capture_output=True, check=True)
    plain = [sys.executable, "-m", "ringed"]
    usual = subprocess.run(plain, cwd=tmp_path, capture_output=True, check=True)
    assert (done.stdout, usual.stdout) == (b"registered ", b"registered looked ")
    assert (tmp_path / "written").read_text() == "whole"
