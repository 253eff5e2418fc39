"""However a `serve` ends, no process and no port of it is left."""

import signal
import time
import urllib.request
from collections.abc import Callable

import pytest
from serve_driving import PATIENCE_S, Driver, assert_nothing_is_left

from warehouse.home import Home
from warehouse.serving import Addresses, live_addresses


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_each_stop_signal_leaves_no_descendant_and_no_port(
    number: int, home: Home, ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports)
    addresses = driver.wait_for("ready")
    descendants = driver.descendants()
    assert len(descendants) == 4
    assert live_addresses(home) == Addresses(*addresses)
    driver.stop(number)
    assert_nothing_is_left(descendants, addresses)
    assert live_addresses(home) is None


def test_a_descendant_that_ignores_int_and_term_is_killed(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports, "dagster=stubborn")
    addresses = driver.wait_for("ready")
    descendants = driver.descendants()
    assert len(descendants) == 5
    driver.stop()
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
    driver.stop()
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
    assert_nothing_is_left(descendants, addresses)
    assert home.serve_file.exists()
    assert live_addresses(home) is None
    again = drive(ports)
    assert again.wait_for("ready") == addresses
    again.stop()


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("code=crash", "dagster-code"),
        ("dagster=crash", "dagster-webserver"),
        ("daemon=crash", "dagster-daemon"),
    ],
)
def test_a_server_that_ends_before_all_answer_stops_the_rest_and_shows_its_last_words(
    option: str, name: str, home: Home, ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports, option, "dashboard=slow")
    assert driver.wait_for("exit") == 1
    report = driver.said[-1]
    assert f"{name} ended by itself (code " in report
    assert "no such luck" in report
    assert str(home.logs / f"{name}.log") in report
    assert_nothing_is_left([], [f"http://127.0.0.1:{port}" for port in ports])
    assert live_addresses(home) is None


def test_a_server_that_is_killed_is_started_again_at_its_address_and_the_others_stay(
    home: Home, ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports)
    addresses = Addresses(*driver.wait_for("ready"))
    before = driver.descendants()
    dashboard = next(child for child in before if str(ports[0]) in child.cmdline())
    dashboard.send_signal(signal.SIGABRT)
    said = driver.wait_for("say")
    assert "streamlit ended by itself (SIGABRT); starting it again (1 of 5" in said
    assert str(home.logs / "streamlit.log") in said
    assert driver.wait_for("say") == "serve: streamlit is up again."
    with urllib.request.urlopen(addresses.dashboard, timeout=PATIENCE_S) as reply:
        assert reply.status == 200
    assert live_addresses(home) == addresses
    after = driver.descendants()
    assert len(set(before) & set(after)) == 3
    driver.stop()
    assert_nothing_is_left([*before, *after], list(addresses))


def test_a_server_that_ends_too_often_stays_down_and_the_others_stay_up(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports, "dashboard=crash-later", "restarts=1")
    addresses = Addresses(*driver.wait_for("ready"))
    assert "starting it again (1 of 1 times within 5 minutes)" in driver.wait_for("say")
    assert driver.wait_for("say") == "serve: streamlit is up again."
    said = driver.wait_for("say")
    assert "ended by itself (code 7); it was started again 1 times within 5 minutes" in said
    assert "now stays down, the others go on" in said
    assert "out of luck" in said
    with urllib.request.urlopen(addresses.dagster, timeout=PATIENCE_S) as reply:
        assert reply.status == 200
    assert len(driver.descendants()) == 3
    driver.stop()
