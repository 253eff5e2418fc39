"""Run a web server that answers only under the addresses it is served at.

`python -m orchestration.servers.gate HOSTS MODULE [ARGUMENT ...]`: HOSTS are allowed values of the
Host header, joined by commas. Both servers listen without a password on the user's own machine,
where any page in the user's browser can reach them: under a name of its own that it points at
127.0.0.1 (DNS rebinding), from another port, or by a request that needs no answer. Dagster would
start runs for it. Both servers run on uvicorn, so the gate stands there, before HTTP and websockets
alike.
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

_OWN_SITES = {"", "same-origin", "none"}
_SHOWN = 100
# RFC 6455: the message breaks the server's policy. Before the handshake uvicorn makes it a 403.
_CLOSED = 1008


class Gate:
    """An application behind a check of where each request comes from.

    Args:
        app: The application.
        hosts: Values of the Host header that are its own.
    """

    def __init__(self, app: App, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(host.strip().lower() for host in hosts)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
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
        for origin in headers.get("origin", []):
            scheme, _, host = origin.lower().partition("://")
            if scheme not in ("http", "https") or host not in self._hosts:
                return f"rostrum: a page of {origin[:_SHOWN]!r} may not use this address"
        site = headers.get("sec-fetch-site", [""])[-1]
        is_link = scope.get("method") == "GET" and headers.get("sec-fetch-mode") == ["navigate"]
        if site not in _OWN_SITES and not is_link:
            return "rostrum: a page elsewhere may link to this address, and no more"
        return None


def guard(hosts: Collection[str]) -> None:
    """Put a gate before every application that uvicorn serves in this process.

    Args:
        hosts: Values of the Host header that are its own.
    """
    load = uvicorn.Config.load

    def guarded(self: uvicorn.Config) -> None:
        load(self)
        self.loaded_app = Gate(self.loaded_app, hosts)

    uvicorn.Config.load = guarded  # type: ignore[method-assign]


def main(arguments: list[str]) -> None:
    """Set up the gate, and become the module.

    Args:
        arguments: The hosts, the module, and the module's own arguments.
    """
    guard(arguments[0].split(","))
    sys.argv = arguments[1:]
    runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
