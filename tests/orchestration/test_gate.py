"""A page elsewhere can link to what is served here, and do nothing else."""

import asyncio
from typing import Any

import pytest

from orchestration.servers.gate import Gate

OWN = "127.0.0.1:3000"


def ask(kind: str = "http", method: str = "GET", **headers: str | list[str]) -> list[Any]:
    """Send one request through a gate; return what came out, `["passed"]` for a passed one."""
    out: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        out.append("passed")

    async def send(message: Any) -> None:
        out.append(message)

    async def receive() -> Any:
        return {}

    named = [
        (name.lower().replace("_", "-").encode(), value.encode())
        for name, values in ({"Host": OWN} | headers).items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    scope = {"type": kind, "headers": named} | ({"method": method} if kind == "http" else {})
    asyncio.run(Gate(app, [OWN, "localhost:3000"])(scope, receive, send))
    return out


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Host": "LOCALHOST:3000", "Origin": "http://localhost:3000"},
        {"Origin": f"https://{OWN}", "Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "none", "Sec_Fetch_Mode": "navigate"},
    ],
)
def test_requests_of_its_own_pages_pass(kind: str, headers: dict[str, str]) -> None:
    assert ask(kind, **headers) == ["passed"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example:3000"},
        {"Host": "127.0.0.1"},
        {"Host": "127.0.0.1:3001"},
        {"Host": [OWN, "evil.example"]},
        {"Host": []},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:8501"},
        {"Origin": f"http://{OWN}.evil.example"},
        {"Origin": "null"},
        {"Origin": f"file://{OWN}"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"},
    ],
)
def test_requests_of_pages_elsewhere_are_refused(headers: dict[str, str | list[str]]) -> None:
    start, body = ask(**headers)
    assert start["status"] == 403
    assert body["body"].startswith(b"rostrum: ")
    assert ask("websocket", **headers)[0]["type"] == "websocket.close"


def test_a_link_elsewhere_opens_a_page_and_sends_no_form() -> None:
    link = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}
    assert ask(**link) == ["passed"]
    assert ask(method="POST", **link)[0]["status"] == 403


def test_a_refusal_says_how_to_serve_another_address() -> None:
    _, body = ask(Host="localhost:9000")
    assert b"'localhost:9000'; use one of 127.0.0.1:3000, localhost:3000" in body["body"]
    assert b"rostrum serve --host HOST:PORT" in body["body"]
