"""Start, watch and stop server processes, each with everything it starts in turn.

Every process leads a process group of its own. Dagster's code servers and run workers stay in the
group of the process that started them (1.13), so stopping the groups stops all descendants.
"""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from orchestration.servers.services import Service

PORT_ATTEMPTS = 20
POLL_S = 0.1
# Streamlit needs 2 s and Dagster 2 to 3 s to stop on INT (2 cores, 2026-11-21). A webserver that
# is interrupted while it starts goes on: it needs TERM. After KILL the kernel needs a moment.
STOP_STEPS = ((signal.SIGINT, 4.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 2.0))
# uvicorn's words for a failed bind, and Streamlit's.
PORT_TAKEN = re.compile(r"address already in use|Port \d+ is not available", re.IGNORECASE)
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class ServerProcess:
    """A service and the process that runs it now."""

    def __init__(self, service: Service, log: Path, environment: Mapping[str, str]) -> None:
        self.service = service
        self.log = log
        self.port = service.port
        self._environment = dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._tether: int | None = None
        self._log_start = 0
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(b"")

    @property
    def address(self) -> str:
        """Address of this process, whether or not it serves yet."""
        return f"http://{self.service.reached_at}:{self.port}"

    @property
    def exit_code(self) -> int | None:
        """Exit code of the process; None while it runs or before it was started."""
        return self._process.poll() if self._process else None

    def start(self) -> None:
        """Start the process in a group of its own, tied to the life of this one."""
        command = [part.replace("{port}", str(self.port)) for part in self.service.command]
        self._log_start = self.log.stat().st_size
        reading, self._tether = os.pipe()
        try:
            with self.log.open("ab") as output:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "orchestration.tether", f"pipe={reading}", *command],
                    cwd=self.service.folder,
                    env=self.service.environment(self._environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=(reading,),
                    start_new_session=True,
                )
        finally:
            os.close(reading)

    def move_on(self) -> bool:
        """Start again on the next port after a failed bind; return False where none is left."""
        first, port = self.service.port, self.port
        if first is None or port is None or port + 1 >= first + PORT_ATTEMPTS:
            return False
        stop([self])
        self.port = port + 1
        self.start()
        return True

    def output(self) -> str:
        """Return the output of the process since its last start, without colours."""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return ANSI_COLOUR.sub("", log.read().decode(errors="replace"))

    def port_was_taken(self) -> bool:
        """Whether the process ended because it could not bind its port."""
        return bool(self.exit_code) and PORT_TAKEN.search(self.output()) is not None

    def answers(self) -> bool:
        """Whether this very process serves: says so and, where it has a port, answers there."""
        if self.service.serving not in self.output():
            return False
        if self.port is None:
            return True
        connection = http.client.HTTPConnection(self.service.reached_at, self.port, timeout=2)
        try:
            connection.request("GET", self.service.health)
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def signal_group(self, number: int) -> bool:
        """Signal the process and its descendants; return whether there were any left."""
        if self._process is None:
            return False
        # Reaps the leader, which otherwise counts as a member for ever.
        self._process.poll()
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            # macOS says this of a group in which only zombies are left.
            return False
        return True

    def release(self) -> None:
        """Forget a stopped process: its number may soon be another's."""
        self._process = None
        if self._tether is not None:
            os.close(self._tether)
            self._tether = None


def stop(processes: Sequence[ServerProcess], hurried: Callable[[], bool] = lambda: False) -> None:
    """Stop processes with all their descendants: INT, then TERM, then KILL."""
    for number, grace_s in STOP_STEPS:
        left = [process for process in processes if process.signal_group(number)]
        deadline = time.monotonic() + grace_s
        while left and time.monotonic() < deadline:
            if hurried() and number != signal.SIGKILL:
                break
            time.sleep(POLL_S / 2)
            left = [process for process in left if process.signal_group(0)]
    for process in processes:
        process.release()
