"""A hub on 127.0.0.1: just the addresses that fetching one file of a data set needs."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote, urlsplit

from tests.http_stub import Answer, serve

REVISION = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """What the stub serves, and what it was asked.

    Attributes:
        address: For `HF_ENDPOINT`.
        requests: Method, path and authorisation of each request.
    """

    address: str
    requests: list[tuple[str, str, str | None]]


@contextmanager
def serve_hub(repo: str, files: Mapping[str, bytes], *, status: int | None = None) -> Iterator[Hub]:
    """Serve one data set; with `status`, answer everything with that error."""
    info, prefix = f"/api/datasets/{repo}", f"/datasets/{repo}/resolve/{REVISION}/"
    asked: list[tuple[str, str, str | None]] = []

    def answer(request: BaseHTTPRequestHandler) -> Answer:
        path = unquote(urlsplit(request.path).path)
        asked.append((request.command, path, request.headers.get("Authorization")))
        if status is not None:
            return status, {"X-Error-Message": "as the test wants it"}, b"{}"
        if path in (info, f"{info}/revision/{REVISION}", f"{info}/revision/v1"):
            return _json({"_id": "1", "id": repo, "sha": REVISION, "siblings": []})
        if path == f"{info}/tree/{REVISION}":
            return _json(
                [
                    {"type": "file", "path": name, "size": len(content), "oid": "0" * 40}
                    for name, content in files.items()
                ]
            )
        content = files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None
        if content is not None:
            etag = f'"{hashlib.sha256(content).hexdigest()}"'
            return 200, {"ETag": etag, "X-Repo-Commit": REVISION}, content
        code = "RevisionNotFound" if path.startswith(f"{info}/revision/") else "RepoNotFound"
        return 404, {"X-Error-Code": code}, b"{}"

    with serve(answer) as address:
        yield Hub(address, asked)


def _json(value: object) -> Answer:
    return 200, {"Content-Type": "application/json"}, json.dumps(value).encode()
