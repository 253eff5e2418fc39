"""A process on a tether ends with the process that started it, however that one ends."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil

PARENT = """
import os, subprocess, sys
tether = ["-m", "orchestration.tether", f"parent={os.getpid()}", "fake_server", "0", "silent"]
subprocess.Popen([sys.executable, *tether], cwd=sys.argv[1]).wait()
"""


def test_a_tethered_child_of_a_killed_parent_ends() -> None:
    parent = psutil.Popen([sys.executable, "-c", PARENT, str(Path(__file__).parent)])
    while not (children := parent.children()):
        pass
    assert children[0].is_running()
    parent.kill()
    parent.wait(10)
    _, alive = psutil.wait_procs(children, timeout=10)
    assert [child for child in alive if child.status() != psutil.STATUS_ZOMBIE] == []
