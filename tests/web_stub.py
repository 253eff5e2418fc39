"""A search service and the sites it names, on this machine; and a way to them for tests alone."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from inference.questions.web.access import Web
from inference.questions.web.fetch import Guard, is_public

LOOPBACK = "127.0.0.1"


class Page(NamedTuple):
    """What a stub site answers."""

    body: bytes | str
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    # Instead of the body: writes to the connection as it likes.
    write: Callable[[Any], None] | None = None


class WebStub:
    """A server that is a search service at /search, and every site a test names.

    Attributes:
        pages: What sites answer, by path.
        results: What a search brings, by words of the query; each result a path or an address.
        asked: Every path and query that was asked for, in order.
        headers: The headers of the last search.
    """

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.results: dict[str, list[str]] = {}
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self.search_page: Page | None = None
        # Words of a query that the search service fails at.
        self.broken: str | None = None
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stub.asked.append(self.path)
                stub._answer(self)

            def log_message(self, *_args: object) -> None:
                """Nothing: the test looks at what was asked."""

        self._server = http.server.ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def site(self, host: str, path: str) -> str:
        """Return the address of a page of a site that has another name than this machine's."""
        return f"http://{host}:{self.port}{path}"

    @property
    def search(self) -> str:
        """The search service's address, which is private."""
        return f"http://{LOOPBACK}:{self.port}/search"

    @property
    def fetched(self) -> list[str]:
        """The pages that were asked for, without the searches."""
        return [path for path in self.asked if not path.startswith("/search")]

    def web(self, home: Path, **more: Any) -> Web:
        """Return a way to the stub's sites: any name is here, and this machine is allowed."""
        folder = home / "experiments"
        folder.mkdir(parents=True, exist_ok=True)
        return Web(home / "landing", folder, **{"guard": self.guard(), **more})

    def guard(self) -> Guard:
        """Return a guard for which every host that ends in .test-lan is private, others are here."""
        return Guard(
            resolver=lambda host, _: ["10.0.0.7" if host.endswith(".test-lan") else LOOPBACK],
            allows=lambda ip: str(ip) == LOOPBACK or is_public(ip),
            ports=None,
        )

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        parts = urlsplit(handler.path)
        page = self.pages.get(parts.path, Page("gone", 404))
        if parts.path == "/search":
            self.headers = dict(handler.headers)
            page = self.search_page or self._results(parse_qs(parts.query))
        if page.write is not None:
            # Who is cut off has hung up.
            with suppress(OSError):
                page.write(handler.connection)
            return
        body = page.body.encode() if isinstance(page.body, str) else page.body
        handler.send_response(page.status)
        for name, value in page.headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _results(self, query: dict[str, list[str]]) -> Page:
        words, number = query["q"][0], int(query.get("pageno", ["1"])[0])
        if self.broken is not None and self.broken in words:
            return Page("", 500)
        named = next((those for key, those in self.results.items() if key in words), [])
        listed = named[(number - 1) * 10 : number * 10]
        said = {
            "query": words,
            "number_of_results": len(named),
            "results": [{"url": each, "title": f"About {each[-6:]}"} for each in listed],
        }
        kind = (("Content-Type", "application/json"),)
        return Page(json.dumps(said), headers=kind)


@contextmanager
def serving() -> Iterator[WebStub]:
    """Run a stub for as long as the context is open."""
    stub = WebStub()
    try:
        yield stub
    finally:
        stub.close()


def page_of(text: str) -> Page:
    """Return a page of HTML around a text."""
    return Page(f"<html><head><title>A page</title></head><body><p>{text}</p></body></html>")
