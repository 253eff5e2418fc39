"""Commands of the command line, each in a fork of a process that has imported Dagster and dbt.

As a program: `python -m tests.command_server FOLDER` reads one JSON object a line, what to run and
where its output goes, and answers each with a line that holds the exit code.
"""

import contextlib
import gc
import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from tests.forking import become, exit_code, fork_dbt, import_dbt, open_home, run_nothing

# What importing the product would import, and what its commands import in the middle of their work.
_LIBRARIES = ("dagster", "pandas", "pyarrow.dataset", "pyarrow.parquet", "rich.live", "scipy.stats")
_PRODUCT = (
    "orchestration.cli",
    "orchestration.execute",
    "orchestration.commands.build",
    "orchestration.commands.reports.compare",
    "orchestration.commands.demo",
    "orchestration.commands.reports.export",
    "orchestration.commands.runs.plan",
    "orchestration.commands.pipelines",
    "orchestration.commands.reparse",
    "orchestration.commands.reports.replicate",
    "orchestration.commands.reports.tables",
    "orchestration.builds.reuse",
    "warehouse.free_sql.queries",
    "warehouse.functions",
)


class _Ends(NamedTuple):
    """The ends of a socket at whose other end a product's commands are run."""

    asked: TextIO
    answers: TextIO


class CommandServer:
    """A server of commands. Each product they are commands of is imported in a fork of its own."""

    @cached_property
    def folder(self) -> Path:
        """Where importing a product may write; taken away in the end."""
        return Path(tempfile.mkdtemp(prefix="rostrum-commands-"))

    @cached_property
    def _process(self) -> subprocess.Popen[str]:
        here = str(Path(__file__).parents[1])
        paths = dict.fromkeys([here, os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-m", "tests.command_server", str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=here,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )

    def run(
        self,
        project: Path,
        arguments: list[str],
        environ: Mapping[str, str],
        timeout: float,
        call: str = "",
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end.

        Args:
            project: The product's folder.
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
                "project": str(project),
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
        """Let the server end, if it was asked anything."""
        if "_process" not in vars(self):
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


# This process's own, which starts with the first command.
SERVER = CommandServer()


def _import_libraries(folder: Path) -> None:
    """Import what every product imports from elsewhere."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    import_dbt()
    run_nothing(folder / "instance")


def _import_product(folder: Path) -> None:
    """Import the product of the working directory, and let its forks fork dbt."""
    os.environ["ROSTRUM_HOME"] = str(folder)
    for name in _PRODUCT:
        importlib.import_module(name)
    from orchestration.definitions import defs

    defs.resolve_implicit_global_asset_job_def()
    fork_dbt()
    open_home(folder / "home")
    # Else each fork that collects garbage copies all of this.
    gc.freeze()


def _serve_product(project: str, folder: Path) -> _Ends:
    """Fork a process that imports a product and runs its commands; return how to ask it."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        os.chdir(project)
        sys.path.insert(0, project)
        _import_product(folder)
        asked, answers = theirs.makefile("r"), theirs.makefile("w")
        theirs.close()
        for line in asked:
            answers.write(f"{_fork(json.loads(line))}\n")
            answers.flush()
        os._exit(0)
    theirs.close()
    ends = _Ends(ours.makefile("w"), ours.makefile("r"))
    ours.close()
    return ends


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
    folder = Path(sys.argv[1])
    _import_libraries(folder)
    products: dict[str, _Ends] = {}
    with contextlib.suppress(KeyboardInterrupt):
        for line in sys.stdin:
            project = json.loads(line)["project"]
            if project not in products:
                products[project] = _serve_product(project, folder)
            products[project].asked.write(line)
            products[project].asked.flush()
            answers.write(products[project].answers.readline())
            answers.flush()
    shutil.rmtree(folder, ignore_errors=True)
    # Taking apart all that was imported takes seconds.
    os._exit(0)


if __name__ == "__main__":
    main()
