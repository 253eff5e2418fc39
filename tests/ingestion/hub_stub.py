"""A hub on 127.0.0.1: just the addresses that fetching one file of a data set needs."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What the stub serves, and what it was asked.

    Attributes:
        address: For `HF_ENDPOINT`.
        requests: Method, path and authorisation of each request.
    """

    address: str
    requests: list[tuple[str, str, str | None]] = field(default_factory=list)


@contextmanager
def serve_hub(repo: str, files: Mapping[str, bytes], *, status: int | None = None) -> Iterator[Hub]:
    """Serve one data set; with `status`, answer everything with that error."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.requests.append((self.command, path, self.headers.get("Authorization")))
            if status is not None:
                return self._send(status, b"{}", {"X-Error-Message": "as the test wants it"})
            info = f"/api/datasets/{repo}"
            if path in (info, f"{info}/revision/{REVISION}", f"{info}/revision/v1"):
                return self._json({"_id": "1", "id": repo, "sha": REVISION, "siblings": []})
            if path == f"{info}/tree/{REVISION}":
                return self._json(
                    [
                        {"type": "file", "path": name, "size": len(content), "oid": "0" * 40}
                        for name, content in files.items()
                    ]
                )
            prefix = f"/datasets/{repo}/resolve/{REVISION}/"
            content = files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None
            if content is not None:
                etag = f'"{hashlib.sha256(content).hexdigest()}"'
                return self._send(200, content, {"ETag": etag, "X-Repo-Commit": REVISION})
            code = "RevisionNotFound" if path.startswith(f"{info}/revision/") else "RepoNotFound"
            return self._send(404, b"{}", {"X-Error-Code": code})

        def _json(self, value: object) -> None:
            self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

        def _send(self, code: int, body: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub = Hub(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
