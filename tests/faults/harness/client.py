"""Asking the forking server to run stages, one at a time per server."""

import json
import os
import queue
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.harness.points import Plan
from warehouse.home import PROJECT_ROOT


@dataclass(frozen=True)
class Job:
    """One stage to run in one home."""

    stage: str
    home: str
    inputs: str
    output: str = os.devnull
    plan: dict[str, Any] = field(default_factory=lambda: Plan()._asdict())
    kill_after: float | None = None
    kill_when: str = ""
    kill_group: bool = False
    environ: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What happened to a child: the signal that ended it, or its exit code, error and messages."""

    signal: int | None
    code: int | None
    error: str
    messages: list[str]
    seconds: float
    pid: int


class Server:
    def __init__(self, end: socket.socket) -> None:
        self._in, self._out = end.makefile("w"), end.makefile("r")
        end.close()
        self._ready = False

    def run(self, job: Job) -> Outcome:
        if not self._ready:
            assert self._out.readline() == "ready\n", "the fault server did not start"
            self._ready = True
        self._in.write(json.dumps(asdict(job)) + "\n")
        self._in.flush()
        answer = self._out.readline()
        assert answer, "the fault server died"
        return Outcome(**json.loads(answer))

    def close(self) -> None:
        self._in.close()
        self._out.close()


class Pool:
    """Servers that are lent to one thread at a time, forked from one that imports everything."""

    def __init__(
        self, size: int, log: Path, *, preload: Path | None = None, shim: Path | None = None
    ) -> None:
        self.size = size
        environ = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT_ROOT)}
        if preload is not None:
            # Importing the assets reads a home; each child then has its own.
            environ["ROSTRUM_HOME"] = str(preload.parent / "import" / "home")
        if shim is not None:
            environ["LD_PRELOAD"] = str(shim)
        pairs = [socket.socketpair() for _ in range(size)]
        ends = [theirs.fileno() for _, theirs in pairs]
        program = [sys.executable, "-m", "tests.faults.harness.server", ",".join(map(str, ends))]
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [*program, *([str(preload)] if preload else [])],
                stdout=errors,
                stderr=errors,
                env=environ,
                cwd=PROJECT_ROOT,
                pass_fds=ends,
            )
        for _, theirs in pairs:
            theirs.close()
        self._servers = [Server(ours) for ours, _ in pairs]
        self._free: queue.Queue[Server] = queue.Queue()
        for server in self._servers:
            self._free.put(server)

    @contextmanager
    def one(self) -> Iterator[Server]:
        server = self._free.get()
        try:
            yield server
        finally:
            self._free.put(server)

    def run(self, job: Job) -> Outcome:
        with self.one() as server:
            return server.run(job)

    def close(self) -> None:
        for server in self._servers:
            server.close()
        self._process.wait(30)
