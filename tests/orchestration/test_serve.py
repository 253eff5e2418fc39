"""`serve` with real processes: it comes up, moves on from taken ports, and is found."""

import http.client
import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from serve_driving import PATIENCE_S, Driver, assert_nothing_is_left, foreign_server, port_of

from orchestration.instance import open_instance
from orchestration.servers.services import DAGSTER, rostrum_services
from tests.late import imported_late
from warehouse.home import Home
from warehouse.serving import Addresses, live_addresses

graphql = imported_late("dagster_graphql")
STAND_IN = """
import dagster as dg

@dg.asset
def one() -> int:
    return 1

defs = dg.Definitions(assets=[one], jobs=[dg.define_asset_job("make_one", "one")])
"""


def test_a_second_serve_waits_for_the_first_and_gets_its_addresses(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    first = drive(ports, "dagster=slow")
    while not (servers := first.descendants()):
        time.sleep(0.02)
    # However long the second takes to start, the first is not ready by then.
    for server in servers:
        server.suspend()
    second = drive(ports)
    said = second.wait_for("say")
    assert said.startswith("Another serve is starting or stopping on this home")
    for server in servers:
        server.resume()
    assert second.wait_for("already") == first.wait_for("ready")
    assert second.said == []
    assert second.wait_for("exit") == 0
    first.stop()


def test_a_taken_port_moves_on_to_the_next_and_says_so(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    with foreign_server(ports[0]), foreign_server(ports[0] + 1):
        driver = drive(ports)
        dashboard, dagster = driver.wait_for("ready")
        assert port_of(dashboard) > ports[0] + 1
        assert port_of(dagster) == ports[1]
        assert driver.said[0].startswith(f"Port {ports[0]} is taken")
        assert driver.said[1].startswith(f"Port {ports[0] + 1} is taken")
        driver.stop()


def test_serve_gives_up_when_every_port_it_may_try_is_taken(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    with foreign_server(ports[0]), foreign_server(ports[0] + 1):
        driver = drive(ports, "attempts=2")
        assert driver.wait_for("exit") == 1
        assert f"streamlit found ports {ports[0]} to {ports[0] + 1} taken" in driver.said[-1]


def test_a_server_that_never_answers_is_reported_after_the_timeout(
    ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    driver = drive(ports, "dashboard=silent", "timeout=1")
    assert driver.wait_for("exit") == 1
    assert "streamlit does not answer after 1 s" in driver.said[-1]


def test_addresses_left_by_a_killed_serve_are_not_believed(home: Home) -> None:
    home.serve_file.write_text('{"dashboard": "http://127.0.0.1:1", "dagster": "x"}')
    assert live_addresses(home) is None


def status_of(port: int, path: str, method: str = "GET", **headers: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, "{}" if method == "POST" else None, named)
        return connection.getresponse().status
    finally:
        connection.close()


def assert_only_served_addresses(port: int, socket_path: str, protocol: str) -> None:
    handshake = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec_WebSocket_Protocol": protocol,
    }
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", "debates.example:8443"):
        own = {"Host": host, "Origin": f"http://{host}"}
        assert status_of(port, "/", **own) == 200
        assert status_of(port, socket_path, **handshake, **own) == 101
    for strange in (
        {"Host": "evil.example"},
        {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": f"http://127.0.0.1:{port + 1}"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
    ):
        assert status_of(port, "/", **strange) == 403
        assert status_of(port, "/graphql", "POST", **strange) == 403
        assert status_of(port, socket_path, **handshake, **strange) == 403


def assert_only_own_clients_start_runs(port: int) -> None:
    assert (
        status_of(port, "/graphql?query=mutation%7Bx%7D", Origin=f"http://127.0.0.1:{port}") == 403
    )
    with pytest.raises(graphql.DagsterGraphQLClientError, match="403"):
        graphql.DagsterGraphQLClient("127.0.0.1", port).submit_job_execution("make_one")
    own = graphql.DagsterGraphQLClient(
        "127.0.0.1", port, headers={"Origin": f"http://127.0.0.1:{port}"}
    )
    assert own.get_run_status(own.submit_job_execution("make_one"))


@pytest.mark.slow
def test_dagster_and_streamlit_come_up_beside_foreign_servers_and_go_without_a_trace(
    tmp_path: Path, home: Home, ports: tuple[int, int], drive: Callable[..., Driver]
) -> None:
    (tmp_path / "standin.py").write_text(STAND_IN)
    (tmp_path / "app.py").write_text("import streamlit as st\nst.write('hello')\n")
    # As every command does before it serves: two Dagster processes that meet an empty folder would
    # both make its tables.
    open_instance(home).dispose()
    real = (f"real={tmp_path}", "host=debates.example:8443")
    with foreign_server(ports[0]), foreign_server(ports[1]):
        driver = drive(ports, *real)
        addresses = Addresses(*driver.wait_for("ready"))
        assert sorted(line.split(":")[0] for line in driver.said) == sorted(
            f"Port {port} is taken" for port in ports
        )
        with urllib.request.urlopen(
            addresses.dagster + "/server_info", timeout=PATIENCE_S
        ) as reply:
            assert "dagster_webserver_version" in json.load(reply)
        with urllib.request.urlopen(addresses.dashboard, timeout=PATIENCE_S) as reply:
            assert "streamlit" in reply.read().decode().lower()
        for address, socket_path, protocol in (
            (addresses.dagster, "/graphql", "graphql-ws"),
            (addresses.dashboard, "/_stcore/stream", "streamlit"),
        ):
            assert_only_served_addresses(port_of(address), socket_path, protocol)
        assert_only_own_clients_start_runs(port_of(addresses.dagster))
        second = drive(ports, *real)
        assert second.wait_for("already") == list(addresses)
        # Three servers, and the code servers that Dagster's two start for themselves.
        descendants = driver.descendants()
        assert len(descendants) > 3
        driver.stop()
        assert_nothing_is_left(descendants, list(addresses))


def test_read_only_reaches_dagster() -> None:
    def webserver(**options: bool) -> tuple[str, ...]:
        services = rostrum_services(1, 2, **options)
        return next(each.command for each in services if each.name == DAGSTER)

    assert "--read-only" in webserver(read_only=True)
    assert "--read-only" not in webserver()
