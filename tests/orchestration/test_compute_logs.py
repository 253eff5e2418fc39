"""What a run prints is in its file and on the screen, and no process is started for it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from orchestration.compute_logs import ComputeLogs
from orchestration.instance import open_instance
from warehouse.home import Home

KEY = ["run", "compute_logs", "step"]


def test_a_homes_runs_are_shown_by_it(home: Home) -> None:
    with open_instance(home) as instance:
        assert type(instance.compute_log_manager) is ComputeLogs


def test_what_a_run_and_its_commands_print_is_kept_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = tmp_path / "shown"
    monkeypatch.setattr(sys, "stdout", shown.open("w", buffering=1))
    logs = ComputeLogs(str(tmp_path / "logs"))
    before = psutil.Process().children()
    print("before")
    with logs.capture_logs(KEY):
        print("first")
        while shown.read_text() != "before\nfirst\n":
            time.sleep(0.01)
        assert psutil.Process().children() == before
        subprocess.run(["echo", "of a command"], stdout=sys.stdout, check=True)
        print("last")
        assert not logs.is_capture_complete(KEY)
    print("after")
    assert shown.read_text() == "before\nfirst\nof a command\nlast\nafter\n"
    assert logs.get_log_data(KEY).stdout == b"first\nof a command\nlast\n"
    assert logs.is_capture_complete(KEY)


def test_a_run_goes_on_when_nobody_reads_what_it_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    monkeypatch.setattr(sys, "stdout", os.fdopen(writing, "w", buffering=1))
    logs = ComputeLogs(str(tmp_path / "logs"))
    with logs.capture_logs(KEY):
        print("to nobody")
    assert logs.get_log_data(KEY).stdout == b"to nobody\n"
