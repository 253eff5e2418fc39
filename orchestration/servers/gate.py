"""Run a web server that answers only requests from its own pages and links to it.

`python -m orchestration.servers.gate HOSTS MODULE [ARGUMENT ...]`: HOSTS are the allowed values of
the Host header, joined by commas. Both servers listen without a password on the user's machine,
where any page in the user's browser can send requests to them: under a name of its own that it
points at 127.0.0.1 (DNS rebinding), from another port, or without needing the answer. Dagster would
start paid runs for such a request. Both servers run on uvicorn, so the gate wraps every application
that uvicorn loads, for HTTP and websockets alike. A request passes only if

- its Host header is one of HOSTS, and its Origin header, if any, names one of them;
- it cannot change anything (`GET`, `HEAD` or `OPTIONS`), or it has such an Origin header. Browsers
  send one with every other method and every websocket, over plain http too; a client that is not a
  browser sets it itself;
- it is not a GraphQL query in an address, since Dagster runs mutations from there;
- it comes from the same origin or from no page, or it opens a document in a tab (a link), other
  than at an address in `_NOT_LINKED`.

No page of another origin may show these pages in a frame.
"""

import runpy
import sys
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from http import HTTPStatus
from typing import Any

import uvicorn

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_READING = {"GET", "HEAD", "OPTIONS"}
_OWN_SITES = {"", "same-origin", "none"}
_GRAPHQL = "/graphql"
# A link from another site must neither send a query nor sign a reader out.
_NOT_LINKED = {_GRAPHQL, "/auth/logout"}
_FRAMES = (b"content-security-policy", b"frame-ancestors 'self'")
_SHOWN = 100
# RFC 6455: the message breaks the server's policy. Before the handshake uvicorn makes it a 403.
_CLOSED = 1008


class Gate:
    """An application behind a check of where each request comes from."""

    def __init__(self, app: App, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.strip().lower() for host in hosts)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_unframed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), _FRAMES]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send_unframed)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _CLOSED, "reason": "not allowed here"})
        else:
            headers = [(b"content-type", b"text/plain; charset=utf-8")]
            headers.append((b"x-content-type-options", b"nosniff"))
            status = HTTPStatus.FORBIDDEN.value
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": f"{refusal}\n".encode()})

    def _refusal(self, scope: Message) -> str | None:
        """Return why a request is refused; None where it is not."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = [host.lower() for host in headers.get("host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            named = ", ".join(hosts)[:_SHOWN]
            return (
                f"rostrum: nothing is served under the address {named!r}; use one of "
                f"{', '.join(sorted(self._hosts))}, or name it: rostrum serve --host HOST:PORT"
            )
        origins = headers.get("origin", [])
        for origin in origins:
            scheme, _, host = origin.lower().partition("://")
            if scheme not in ("http", "https") or host not in self._hosts:
                return f"rostrum: a page of {origin[:_SHOWN]!r} may not use this address"
        if scope.get("method") not in _READING and not origins:
            return (
                "rostrum: a request that may change something needs an Origin header; a client "
                f"that is not a browser sends 'Origin: http://{hosts[0][:_SHOWN]}'"
            )
        path = scope["path"].rstrip("/")
        if path == _GRAPHQL and scope.get("method") in _READING and scope["query_string"]:
            return "rostrum: send GraphQL queries by POST, not in the address"
        site = headers.get("sec-fetch-site", [""])[-1]
        is_link = headers.get("sec-fetch-dest") == ["document"] and scope.get("method") == "GET"
        if site not in _OWN_SITES and (not is_link or path in _NOT_LINKED):
            return "rostrum: a page of another site may only link to this address"
        return None


def guard(hosts: Collection[str]) -> None:
    """Put a gate before every application that uvicorn serves in this process."""
    load = uvicorn.Config.load

    def guarded(self: uvicorn.Config) -> None:
        load(self)
        self.loaded_app = Gate(self.loaded_app, hosts)

    uvicorn.Config.load = guarded  # type: ignore[method-assign]


def main(arguments: list[str]) -> None:
    """Set up the gate, and become the module."""
    guard(arguments[0].split(","))
    sys.argv = arguments[1:]
    runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
