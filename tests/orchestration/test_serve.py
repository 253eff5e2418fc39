"""`serve` with real processes: it comes up, moves on from taken ports, and is found."""

import http.client
import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serve_driving import PATIENCE_S, Driver, assert_nothing_is_left, foreign_server, port_of

from inference.registry import add_judge_text, key_variables, load_judges
from orchestration.instance import open_instance
from orchestration.servers.services import (
    CODE,
    DAEMON,
    DAGSTER,
    LAUNCHER,
    WITHHELD,
    Service,
    rostrum_services,
)
from tests.late import imported_late
from warehouse.home import Home
from warehouse.serving import Addresses

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


def own_client(port: int) -> Any:
    origin = f"http://127.0.0.1:{port}"
    return graphql.DagsterGraphQLClient("127.0.0.1", port, headers={"Origin": origin})


def assert_only_own_clients_start_runs(port: int) -> None:
    assert (
        status_of(port, "/graphql?query=mutation%7Bx%7D", Origin=f"http://127.0.0.1:{port}") == 403
    )
    with pytest.raises(graphql.DagsterGraphQLClientError, match="403"):
        graphql.DagsterGraphQLClient("127.0.0.1", port).submit_job_execution("make_one")
    own = own_client(port)
    assert own.get_run_status(own.submit_job_execution("make_one"))


def assert_one_code_server_for_all(driver: Driver, port: int) -> None:
    """One process has the definitions and the keys; killed, it is replaced."""
    servers = driver.descendants()
    assert len(servers) == 4
    (code,) = [each for each in servers if "grpc" in each.cmdline()]
    keys = [each.environ()["MADE_UP_API_KEY"] for each in servers if each != code]
    assert (code.environ()["MADE_UP_API_KEY"], keys) == ("made-up-key", [WITHHELD] * 3)
    code.kill()
    assert "dagster-code ended by itself (SIGKILL); starting it again" in driver.wait_for("say")
    assert driver.wait_for("say") == "serve: dagster-code is up again."
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            own_client(port).submit_job_execution("make_one")
            return
        except graphql.DagsterGraphQLClientError:
            # The webserver looks for it every second.
            assert time.monotonic() < until
            time.sleep(0.5)


@pytest.mark.slow
def test_dagster_and_streamlit_come_up_beside_foreign_servers_and_go_without_a_trace(
    tmp_path: Path,
    home: Home,
    ports: tuple[int, int],
    drive: Callable[..., Driver],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MADE_UP_API_KEY", "made-up-key")
    (tmp_path / "standin.py").write_text(STAND_IN)
    (tmp_path / "app.py").write_text("import streamlit as st\nst.write('hello')\n")
    # As every command does before it serves: two Dagster processes that meet an empty folder would
    # both make its tables.
    open_instance(home).dispose()
    real = (f"real={tmp_path}", "host=debates.example:8443", "keys=MADE_UP_API_KEY")
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
        assert_one_code_server_for_all(driver, port_of(addresses.dagster))
        assert_only_own_clients_start_runs(port_of(addresses.dagster))
        second = drive(ports, *real)
        assert second.wait_for("already") == list(addresses)
        descendants = driver.descendants()
        driver.stop()
        assert_nothing_is_left(descendants, list(addresses))


def services(**options: Any) -> dict[str, Service]:
    listed = rostrum_services(1, 2, workspace=Path("workspace"), code=(), **options)
    return {each.name: each for each in listed}


def test_read_only_reaches_dagster() -> None:
    assert "--read-only" in services(read_only=True)[DAGSTER].command
    assert "--read-only" not in services()[DAGSTER].command


@pytest.mark.parametrize(
    ("launcher", "with_key"), [("", {CODE}), ("launcher.yaml", {CODE, DAGSTER, DAEMON})]
)
def test_a_key_reaches_only_those_who_start_runs(
    launcher: str, with_key: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LAUNCHER, launcher)
    variables = {"MY_KEY": "secret", "UNSET_KEY": "", "PATH": "/bin"}
    got = {
        name: {key: value for key, value in each.environment(variables).items() if key in variables}
        for name, each in services(keys=["MY_KEY", "UNSET_KEY"]).items()
    }
    assert {name for name, each in got.items() if each == variables} == with_key
    others = [each for name, each in got.items() if name not in with_key]
    assert all(each == variables | {"MY_KEY": WITHHELD} for each in others)


def test_variables_with_keys_of_endpoints_and_no_others_are_found(tmp_path: Path) -> None:
    file = tmp_path / "judges.toml"
    file.write_text(add_judge_text("", "openai/made-up", {"api_key_env": "MINE"}))
    keys = ["MINE", "OPENAI_API_KEY", "HF_TOKEN"]
    others = ["HOME", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "PGPASSWORD"]
    assert key_variables(load_judges(file), [*others, *keys]) == keys
