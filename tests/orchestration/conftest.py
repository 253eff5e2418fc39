"""Fixtures for tests that run servers."""

import contextlib
import socket
from collections.abc import Callable, Iterator

import psutil
import pytest
from serve_driving import Driver

from warehouse.home import Home


@pytest.fixture
def drive(home: Home) -> Iterator[Callable[..., Driver]]:
    """Starts drivers on the test's home, and at the end kills whatever a failed test left."""
    drivers: list[Driver] = []

    def start(ports: tuple[int, int], *options: str) -> Driver:
        drivers.append(Driver(home, ports, *options))
        return drivers[-1]

    yield start
    for driver in drivers:
        if driver.process.is_running():
            for process in [*driver.descendants(), driver.process]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
        driver.process.stdout.close()
        driver.process.wait(10)


@pytest.fixture
def ports() -> tuple[int, int]:
    """Two ports that were free a moment ago, with room above them."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        first, second = one.getsockname()[1], other.getsockname()[1]
    return (first, second) if abs(first - second) > 20 else (first, second + 40)
