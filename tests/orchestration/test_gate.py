"""Only own pages and own clients use what is served here; other sites may link to it."""

import asyncio
from typing import Any

import pytest

from orchestration.servers.gate import Gate

OWN = "127.0.0.1:3000"
ORIGIN = f"http://{OWN}"
MUTATION = "query=mutation{launchRun}"
# What a page of another site makes a browser send, by Sec-Fetch-Dest (Firefox 153 and Chromium).
ELSEWHERE = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}


def send(target: str, *, kind: str = "http", **headers: str | list[str]) -> int:
    """Send `METHOD PATH[?QUERY]` through a gate and return the status: 200, 101 or a refusal."""
    method, _, address = target.partition(" ")
    path, _, query = address.partition("?")
    out: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if kind == "websocket":
            out.append({"status": 101})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})

    async def note(message: Any) -> None:
        out.append(message)

    async def receive() -> Any:
        return {}

    named = [
        (name.lower().replace("_", "-").encode(), value.encode())
        for name, values in ({"Host": OWN} | headers).items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": named}
    if kind == "http":
        scope["method"] = method
    asyncio.run(Gate(app, [OWN, "localhost:3000"])(scope, receive, note))
    first: dict[str, Any] = out[0]
    if first.get("status") == 200:
        assert (b"content-security-policy", b"frame-ancestors 'self'") in first["headers"]
    return int(first.get("status") or {1008: 403}[first["code"]])


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        ("GET /", {}),
        ("GET /", {"Host": "LOCALHOST:3000", "Origin": "http://localhost:3000"}),
        ("GET /", {"Origin": f"https://{OWN}", "Sec_Fetch_Site": "same-origin"}),
        ("GET /", {"Sec_Fetch_Site": "none", "Sec_Fetch_Mode": "navigate"}),
        ("GET /graphql", {"Sec_Fetch_Site": "none", "Sec_Fetch_Dest": "document"}),
        ("GET /runs/1", ELSEWHERE | {"Sec_Fetch_Dest": "document"}),
        ("GET /frame", {"Sec_Fetch_Site": "same-origin", "Sec_Fetch_Dest": "iframe"}),
        ("POST /graphql", {"Origin": ORIGIN, "Sec_Fetch_Site": "same-origin"}),
        ("POST /graphql", {"Origin": ORIGIN}),
        ("PUT /_stcore/upload_file", {"Origin": ORIGIN}),
    ],
)
def test_own_pages_own_clients_and_links_pass(target: str, headers: dict[str, str]) -> None:
    assert send(target, **headers) == 200


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
        {"Origin": [ORIGIN, "http://evil.example"]},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"},
        {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Mode": "cors"},
        *(
            ELSEWHERE | {"Sec_Fetch_Dest": dest}
            for dest in ("object", "embed", "iframe", "frame", "image", "empty", "")
        ),
        ELSEWHERE,
    ],
)
def test_requests_of_other_sites_are_refused(headers: dict[str, str | list[str]]) -> None:
    assert send("GET /", **headers) == 403
    assert send("", kind="websocket", **({"Origin": ORIGIN} | headers)) == 403


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        # No header says where it comes from: plain http under a name, as with --host NAME:PORT.
        (f"GET /graphql?{MUTATION}", {}),
        (f"GET /graphql/?{MUTATION}", {}),
        (f"GET /graphql?{MUTATION}", {"Origin": ORIGIN, "Sec_Fetch_Site": "same-origin"}),
        (f"HEAD /graphql?{MUTATION}", {}),
        ("POST /graphql", {}),
        ("POST /graphql", {"Sec_Fetch_Site": "same-origin"}),
        ("POST /report_asset_materialization/one", {}),
        ("POST /", ELSEWHERE | {"Sec_Fetch_Dest": "document", "Origin": "http://evil.example"}),
        ("POST /", ELSEWHERE | {"Sec_Fetch_Dest": "document"}),
        ("GET /graphql", ELSEWHERE | {"Sec_Fetch_Dest": "document"}),
        ("GET /auth/logout", ELSEWHERE | {"Sec_Fetch_Dest": "document"}),
        ("DELETE /_stcore/upload_file/1", {}),
    ],
)
def test_nothing_changes_by_an_address_or_without_the_own_origin(
    target: str, headers: dict[str, str]
) -> None:
    assert send(target, **headers) == 403


def test_a_websocket_needs_the_own_origin() -> None:
    assert send("", kind="websocket", Origin=ORIGIN) == 101
    assert send("", kind="websocket") == 403
