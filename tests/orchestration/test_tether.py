"""A process on a tether ends with the process that started it, however that one ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

PARENT = """
import os, signal, subprocess, sys
if sys.argv[2:]:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
tether = ["-m", "orchestration.tether", f"parent={os.getpid()}", "fake_server", "0", "silent"]
subprocess.Popen([sys.executable, *tether], cwd=sys.argv[1]).wait()
"""


@pytest.mark.parametrize("deaf", [[], ["as in the background of a shell"]])
def test_a_tethered_child_of_a_killed_parent_ends_interrupted_if_it_listens(
    tmp_path: Path, deaf: list[str]
) -> None:
    with (tmp_path / "said").open("w") as said:
        given = [sys.executable, "-c", PARENT, str(Path(__file__).parent), *deaf]
        parent = psutil.Popen(given, stderr=said)
    while not (children := parent.children()):
        pass
    assert children[0].is_running()
    # It imports what it is on a tether with, and sleeps in it.
    time.sleep(2)
    parent.kill()
    parent.wait(10)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []
    assert ("KeyboardInterrupt" in (tmp_path / "said").read_text()) is not bool(deaf)
