"""Commands of the command line, each in a fork of a process that has imported Dagster and dbt.

As a program: `python -m tests.command_server FOLDER` reads one JSON object a line, what to run and
where its output goes, and answers each with a line that holds the exit code.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.forking import become, exit_code, fork_dbt


class CommandServer:
    """A server of commands, and the product they are commands of.

    Args:
        project: The product's folder.
    """

    # Where importing the product may write.
    folder = Path(tempfile.gettempdir())

    def __init__(self, project: Path) -> None:
        here = str(Path(__file__).parents[1])
        paths = dict.fromkeys([str(project), here, os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=project,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )

    def run(
        self, arguments: list[str], environ: Mapping[str, str], timeout: float, call: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end.

        Args:
            arguments: The command and its arguments.
            environ: Its whole environment.
            timeout: Seconds after which it is killed.
            call: A function as `module:name` that is called with the arguments in the place of the
                command line.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory() as said:
            job = {
                "arguments": arguments,
                "environ": dict(environ),
                "timeout": int(timeout),
                "call": call,
                "said": said,
            }
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            assert answer, "the server of commands ended; what it said is above"
            out, err = (
                Path(said, name).read_text(encoding="utf-8", errors="replace")
                for name in ("out", "err")
            )
        return subprocess.CompletedProcess(arguments, json.loads(answer), out, err)

    def close(self) -> None:
        """Let the server end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def _import_everything(folder: Path) -> None:
    # What the product imports where it is used, and each fork would import again.
    os.environ["ROSTRUM_HOME"] = str(folder)
    for name in (
        "pandas",
        "pyarrow.dataset",
        "pyarrow.parquet",
        "scipy.stats",
        "orchestration.cli",
        "orchestration.execute",
        "orchestration.commands.build",
        "orchestration.commands.demo",
        "orchestration.commands.export",
        "orchestration.commands.plan",
        "orchestration.commands.sources",
        "orchestration.commands.reparse",
        "orchestration.commands.replicate",
        "orchestration.commands.reports",
        "warehouse.free_sql",
    ):
        importlib.import_module(name)
    from orchestration.definitions import defs

    defs.resolve_implicit_global_asset_job_def()
    fork_dbt()


def _fork(job: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 1
    try:
        flags = os.O_WRONLY | os.O_CREAT
        streams = {
            0: os.open(os.devnull, os.O_RDONLY),
            1: os.open(f"{job['said']}/out", flags),
            2: os.open(f"{job['said']}/err", flags),
        }
        become(job["environ"], streams, None)
        signal.alarm(job["timeout"])
        code = exit_code(lambda: _run(job))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _run(job: dict[str, Any]) -> None:
    if job["call"]:
        module, _, name = job["call"].partition(":")
        getattr(importlib.import_module(module), name)(*job["arguments"])
        return
    from orchestration import cli

    cli.main(job["arguments"])


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _import_everything(Path(sys.argv[1]))
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            answers.write(f"{_fork(json.loads(line))}\n")
            answers.flush()


if __name__ == "__main__":
    main()
