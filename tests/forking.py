"""Processes forked from one that has imported everything.

A command of the command line takes seconds to import Dagster, and so does dbt; a fork takes
milliseconds. It is a process like any other: it has a number, a parent and an end of its own, and
signals reach it.
"""

import atexit
import importlib
import inspect
import os
import runpy
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

# What may be started as `python -m`: dbt, and what ties it to the process that started it.
_MODULES = ("orchestration.tether", "orchestration.builds.process")
# dbt, and what it imports in the middle of its work.
_OF_DBT = (
    "babel.dates",
    "dbt.adapters.duckdb.environments.local",
    "dbt.adapters.duckdb.impl",
    "dbt.cli.main",
    "dbt.task.build",
    "dbt_common.clients.agate_helper",
    "google.protobuf.descriptor_pb2",
    "multiprocessing.dummy",
)


def exit_code(run: Callable[[], Any]) -> int:
    """Run something as Python would run a program, and return its exit code."""
    try:
        run()
    except SystemExit as stop:
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def become(environ: Mapping[str, str], streams: Mapping[int, int], folder: str | None) -> None:
    """Give a fork the environment, the standard streams, the folder and the signals of a new process.

    Args:
        environ: Its whole environment.
        streams: File descriptors by the number of the stream they become.
        folder: Its working directory; None for that of its parent.
    """
    for number, source in streams.items():
        os.dup2(source, number)
    os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), 2**16))
    # What it named is closed now; a new process has none either.
    vars(resource_tracker._resource_tracker).update(_fd=None, _pid=None)
    if folder is not None:
        os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))


class ForkingPopen(subprocess.Popen):  # type: ignore[type-arg]
    """Forks this process where dbt would be started; every other program is started as ever."""

    # Called in each fork before dbt begins.
    in_fork: Callable[[], None] = staticmethod(lambda: None)

    def _execute_child(self, args: Any, *rest: Any) -> None:
        usual = super()._execute_child  # type: ignore[misc]
        if list(args[:2]) != [sys.executable, "-m"] or args[2] not in _MODULES:
            usual(args, *rest)
            return
        given = inspect.signature(usual).bind(args, *rest).arguments
        pipes = [given[name] for name in _PIPES]
        self.pid = os.fork()
        self._child_created = True
        if self.pid:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]
            return
        code = 1
        try:
            type(self).in_fork()
            ends = {0: given["p2cread"], 1: given["c2pwrite"], 2: given["errwrite"]}
            environ = dict(os.environ if given["env"] is None else given["env"])
            streams = {number: end for number, end in ends.items() if end != -1}
            become(environ, streams, given["cwd"])
            code = exit_code(lambda: _run_module(list(args[2:])))
            # dbt closes its database there.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


_PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")


def _run_module(arguments: list[str]) -> None:
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def import_dbt() -> None:
    """Import dbt, and write what it would write at its first use: what reads and checks files."""
    for name in _OF_DBT:
        importlib.import_module(name)
    from dbt.adapters.duckdb.credentials import DuckDBCredentials
    from dbt.contracts.graph.manifest import Manifest
    from dbt.contracts.project import ProfileConfig, Project, ProjectFlags

    for described in (Project, ProfileConfig, ProjectFlags, DuckDBCredentials):
        described.json_schema()
    Manifest.from_msgpack(Manifest().to_msgpack())


def fork_dbt() -> None:
    """Import dbt, and let this process and its forks fork it from now on."""
    import_dbt()
    subprocess.Popen = ForkingPopen  # type: ignore[misc]


def run_nothing(folder: Path) -> None:
    """Run an empty job in a Dagster of its own, which imports what a job imports."""
    import dagster as dg

    @dg.job
    def nothing() -> None:
        pass

    folder.mkdir(parents=True, exist_ok=True)
    with dg.DagsterInstance.local_temp(str(folder)) as instance:
        quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
        nothing.execute_in_process(instance=instance, run_config=quiet)


def open_home(folder: Path) -> None:
    """Open a home's Dagster, which reads what each opening would read."""
    from orchestration.instance import open_instance
    from warehouse.home import Home

    with open_instance(Home(folder).ensure()):
        pass
