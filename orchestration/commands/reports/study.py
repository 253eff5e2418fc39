"""A study as one file, written by the dashboard in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from orchestration.errors import ReportFailed
from warehouse.files import write_atomically
from warehouse.home import PROJECT_ROOT, Home
from warehouse.reader import current_version
from warehouse.subjects import Subject


def write_out(command: str, out: Path, data: bytes, option: str = "--out") -> None:
    """Write what a command was asked for."""
    try:
        write_atomically(out.expanduser().absolute(), data)
    except OSError as error:
        message = (
            f"{command}: {out} cannot be written ({error.strerror}); choose another with {option}"
        )
        raise ReportFailed(message) from error


def made_by_dashboard(command: str, home: Home, module: str, arguments: Sequence[str]) -> bytes:
    """Return the file that a program of the dashboard makes; nothing but a server imports it."""
    done = subprocess.run(
        # It ends with this process, even when that is killed.
        [sys.executable, "-m", "orchestration.tether", f"parent={os.getpid()}", module, *arguments],
        cwd=PROJECT_ROOT,
        env={**os.environ, "ROSTRUM_HOME": str(home.root)},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise ReportFailed(said[-1] if said else f"{command}: the program ended {done.returncode}")
    return done.stdout


def write_report(home: Home, subjects: Sequence[Subject], judges: Sequence[str], out: Path) -> str:
    """Write a study of the newest version, and return what to say of it."""
    version = current_version(home)
    options = [f"--subject={each}" for each in subjects] + [f"--judge={each}" for each in judges]
    options.append(f"--version={version.name}")
    data = made_by_dashboard("report", home, "dashboard.study", options)
    write_out("report", out, data)
    return f"wrote {out}, {len(data) / 1e6:.1f} MB, from warehouse version {version.name}"
