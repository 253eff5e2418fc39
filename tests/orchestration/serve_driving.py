"""Drives a `serve` from the outside, and looks for what it leaves behind."""

import contextlib
import http.server
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from fake_server import Healthy

from warehouse.home import Home

HERE = Path(__file__).parent
# How long what was stopped may take to end, and what answers to answer.
PATIENCE_S = 20


class Driver:
    """A `serve` in a process of its own, and what it has told so far."""

    def __init__(self, home: Home, ports: tuple[int, int], *options: str) -> None:
        command = [sys.executable, str(HERE / "serve_driver.py"), str(home.root), *map(str, ports)]
        self.process = psutil.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            text=True,
            # Under nohup this process ignores the signal, and what it starts would as well.
            preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
        )
        self.said: list[str] = []

    def wait_for(self, key: str) -> Any:
        """The value of the next line with the key; what it says meanwhile is kept."""
        for line in self.process.stdout:
            message = json.loads(line)
            if key in message:
                return message[key]
            self.said.append(message.get("say", line))
        pytest.fail(f"the driver ended before it told {key!r}: {self.said}")

    def stop(self, number: int = signal.SIGINT) -> None:
        """Send a signal, and wait until it has ended in order."""
        self.process.send_signal(number)
        assert self.wait_for("exit") == 0

    def descendants(self) -> list[psutil.Process]:
        return self.process.children(recursive=True)


@contextlib.contextmanager
def foreign_server(port: int) -> Iterator[None]:
    """Another program that holds the port and answers everything with 200."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Healthy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield
    server.shutdown()
    server.server_close()


def port_of(address: str) -> int:
    return int(address.rsplit(":", 1)[1])


def _lives(process: psutil.Process) -> bool:
    # A zombie is dead; how soon it is reaped is up to the machine's first process.
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def assert_nothing_is_left(processes: list[psutil.Process], addresses: list[str]) -> None:
    until = time.monotonic() + PATIENCE_S
    while (alive := [one for one in processes if _lives(one)]) and time.monotonic() < until:
        time.sleep(0.05)
    assert alive == []
    for address in addresses:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port_of(address)))
