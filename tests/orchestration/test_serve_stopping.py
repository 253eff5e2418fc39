"""However a `serve` ends, no process and no port of it is left."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import psutil
import pytest
from serve_driving import Driver, assert_nothing_is_left

from orchestration.serve import Addresses, live_addresses
from warehouse.home import Home


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_stop_signal_leaves_no_descendant_and_no_port(
    number: int, home: Home, ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports)
    addresses = driver.wait_for("ready")
    descendants = driver.descendants()
    assert len(descendants) == 3
    assert live_addresses(home) == Addresses(*addresses)
    driver.process.send_signal(number)
    assert driver.wait_for("exit") == 0
    assert_nothing_is_left(descendants, addresses)
    assert live_addresses(home) is None


def test_a_descendant_that_ignores_int_and_term_is_killed(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports, "dagster=stubborn")
    addresses = driver.wait_for("ready")
    descendants = driver.descendants()
    assert len(descendants) == 4
    driver.process.send_signal(signal.SIGINT)
    assert driver.wait_for("exit") == 0
    assert_nothing_is_left(descendants, addresses)


def test_a_second_interrupt_stops_at_once(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports, "dashboard=stubborn")
    addresses = driver.wait_for("ready")
    descendants = driver.descendants()
    start = time.monotonic()
    driver.process.send_signal(signal.SIGINT)
    time.sleep(1.2)
    driver.process.send_signal(signal.SIGINT)
    assert driver.wait_for("exit") == 0
    # Patience would have cost four seconds before TERM and three before KILL.
    assert time.monotonic() - start < 3.5
    assert_nothing_is_left(descendants, addresses)


def test_the_servers_stop_when_serve_itself_is_killed(
    home: Home, ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports)
    addresses = driver.wait_for("ready")
    descendants = driver.descendants()
    driver.process.kill()
    driver.process.wait(10)
    psutil.wait_procs(descendants, timeout=5)
    assert_nothing_is_left(descendants, addresses)
    assert home.serve_file.exists()
    assert live_addresses(home) is None
    again = drive(ports)
    assert again.wait_for("ready") == addresses
    again.process.send_signal(signal.SIGINT)
    assert again.wait_for("exit") == 0


@pytest.mark.parametrize(
    ("option", "name", "last_words"),
    [
        ("dagster=crash", "dagster-webserver", "no such luck"),
        ("dashboard=crash-later", "streamlit", "out of luck"),
        ("daemon=crash", "dagster-daemon", "no such luck"),
    ],
)
def test_a_server_that_ends_by_itself_stops_the_rest_and_shows_its_last_words(
    option: str,
    name: str,
    last_words: str,
    home: Home,
    ports: tuple[int, int],
    drive: Callable[..., Driver],
) -> None:
    driver = drive(ports, option)
    assert driver.wait_for("exit") == 1
    report = driver.said[-1]
    assert f"{name} ended by itself (code " in report
    assert last_words in report
    assert str(home.logs / f"{name}.log") in report
    assert_nothing_is_left([], [f"http://127.0.0.1:{port}" for port in ports])
    assert live_addresses(home) is None
