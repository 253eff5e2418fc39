"""A process that has imported everything, and forks a child for each stage it is asked to run.

Starting Python and importing takes a second or more, forking a few milliseconds, so that hundreds
of kills fit into a minute. The child is a process like any other: killed with -9, it is gone.

Reads one JSON object a line (`client.Job`) from a socket and answers each with one
(`client.Outcome`). At each further socket a fork of it answers.
"""

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

# The product imports these on first use; here every child would pay for it again.
import pandas  # noqa: F401
import pyarrow.dataset
import pyarrow.parquet  # noqa: F401

from orchestration.failures import NAMED
from tests.faults.harness import points
from tests.faults.harness.stages import STAGES
from warehouse.home import Home


def preload(project: Path) -> None:
    """Import Dagster, the assets and dbt, with another dbt project in the place of the real one."""
    from tests.forking import ForkingPopen, fork_dbt, open_home, run_nothing
    from warehouse import audit

    audit.DBT_PROJECT = project
    from orchestration import definitions, execute
    from orchestration.commands.runs import run as commands

    del commands, execute
    # No fault is planned for dbt.
    ForkingPopen.in_fork = staticmethod(lambda: points.arm(points.Plan(), project))
    fork_dbt()
    definitions.defs.resolve_implicit_global_asset_job_def()
    run_nothing(project.parent / "instance")
    open_home(project.parent / "import" / "home")


def child(job: dict[str, Any], reply: int) -> None:
    """Run one stage; the exit code is a command's: 0 done, 1 named error, 70 anything else."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    output = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.update(job["environ"])
    home = Home(Path(job["home"]))
    os.environ["ROSTRUM_HOME"] = job["home"]
    messages: list[str] = []
    code, error = 0, ""
    points.arm(points.Plan(**job["plan"]), home.root)
    try:
        STAGES[job["stage"]](home.ensure(), Path(job["inputs"]), messages.append)
    except NAMED as named:
        code, error = 1, str(named)
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        code, error = 70, traceback.format_exc()
    points.arm(points.Plan(), home.root)
    sys.stdout.flush()
    sys.stderr.flush()
    text = json.dumps({"code": code, "error": error, "messages": messages})
    os.write(reply, text.encode())
    os._exit(code)


def _has_ended(reading: int, wait_s: float) -> bool:
    """Wait for a child to answer or to close its pipe."""
    return bool(select.select([reading], [], [], wait_s)[0])


def serve(job: dict[str, Any]) -> dict[str, Any]:
    """Fork, perhaps kill after a while, and say what happened to the child."""
    reading, writing = os.pipe()
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        child(job, writing)
    os.close(writing)
    if job["kill_after"] is not None or job["kill_when"]:
        if job["kill_when"]:
            while not os.path.exists(job["kill_when"]) and not _has_ended(reading, 0.02):
                pass
        else:
            _has_ended(reading, job["kill_after"])
        target = -pid if job["kill_group"] else pid
        with contextlib.suppress(ProcessLookupError):
            os.kill(target, signal.SIGKILL)
    text = b""
    while piece := os.read(reading, 65536):
        text += piece
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    outcome = json.loads(text) if text else {"code": None, "error": "", "messages": []}
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return {**outcome, "signal": killed, "seconds": time.monotonic() - began, "pid": pid}


def answer(number: int) -> None:
    """Answer what arrives at a socket until its other end is closed."""
    with socket.socket(fileno=number) as end:
        asked, answers = end.makefile("r"), end.makefile("w")
        answers.write("ready\n")
        answers.flush()
        # What nobody asked may be closed before it is ready.
        with contextlib.suppress(ConnectionError):
            for line in asked:
                answers.write(json.dumps(serve(json.loads(line))) + "\n")
                answers.flush()


def main() -> None:
    """Serve at every socket named until all are closed."""
    first, *others = map(int, sys.argv[1].split(","))
    if len(sys.argv) > 2:
        preload(Path(sys.argv[2]))
    points.install()
    # Else each fork that collects garbage copies all of this.
    gc.freeze()
    for number in others:
        if os.fork() == 0:
            for other in {first, *others} - {number}:
                os.close(other)
            answer(number)
            os._exit(0)
    for number in others:
        os.close(number)
    answer(first)
    for _ in others:
        os.wait()
    # Taking apart all that was imported takes seconds.
    os._exit(0)


if __name__ == "__main__":
    main()
