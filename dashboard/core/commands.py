"""Asking the command line, in a process of its own, what the dashboard itself may not know."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from warehouse.home import PROJECT_ROOT


class CommandFailed(Exception):
    """A command ended with an error, which is the message."""


def answer_of(root: Path | str, *arguments: str, seconds: int) -> Any:
    """Return what a command prints as JSON.

    Args:
        root: The home's folder.
        arguments: The command and its arguments.
        seconds: How long it may take.

    Raises:
        CommandFailed: It failed or took longer.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", "orchestration.cli", "--home", str(root), *arguments],
            cwd=PROJECT_ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CommandFailed(
            f"rostrum {arguments[0]} took longer than {seconds} seconds; try it in a terminal"
        ) from None
    if done.returncode != 0:
        said = done.stderr.strip() or f"rostrum {arguments[0]} ended with {done.returncode}"
        # Where the home lies is none of a reader's business.
        raise CommandFailed(said.removeprefix("error: ").replace(str(root), "the home"))
    return json.loads(done.stdout)
