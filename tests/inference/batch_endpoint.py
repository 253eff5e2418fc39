"""A real endpoint on 127.0.0.1 that has a Batch API, and fails on demand."""

import json
import re
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.inference.endpoint import Endpoint, Sent

Answer = dict[str, Any]
Reaction = Sent
# Reactions that are no reply: the connection ends before the request counts, or after it did.
HANG_UP_BEFORE: Reaction = (0, {}, b"")
HANG_UP_AFTER: Reaction = (1, {}, b"")


def answered(custom_id: str, body: dict[str, Any], content: str | None = None) -> Answer:
    """Return a result line with a reply; unless told otherwise it repeats the prompt."""
    text = body["messages"][-1]["content"] if content is None else content
    return {
        "id": f"r-{custom_id}",
        "custom_id": custom_id,
        "response": {
            "status_code": 200,
            "request_id": "q",
            "body": {
                "model": "m-2025",
                "choices": [{"finish_reason": "stop", "message": {"content": text}}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 10},
            },
        },
        "error": None,
    }


def refused(custom_id: str, status: int, message: str, **more: Any) -> Answer:
    body = {"error": {"message": message, **more}}
    return {"custom_id": custom_id, "response": {"status_code": status, "body": body}}


def failure(status: int, message: str, headers: dict[str, str] | None = None) -> Reaction:
    return status, headers or {}, json.dumps({"error": {"message": message}}).encode()


class BatchEndpoint(Endpoint):
    """The endpoint.

    Attributes:
        answer: Gets a request's custom id and body and says what its result line is.
        intervene: Gets the method, the path and the number of each HTTP request before it counts
            and may give a reaction; None lets it pass.
        done_after: How often a batch is looked at before it ends.
        ends_as: The status with which batches end.
        finish: Gets a batch that has ended and may change it.
        created: The batches, in the order of their creation.
        calls: Every HTTP request: its method and path.
    """

    def __init__(self) -> None:
        self.answer: Callable[[str, dict[str, Any]], Answer | None] = answered
        self.intervene: Callable[[str, str, int], Reaction | None] = lambda *_: None
        self.finish: Callable[[dict[str, Any]], None] = lambda _: None
        self.done_after = 2
        self.ends_as = "completed"
        self.files: dict[str, bytes] = {}
        self.created: list[dict[str, Any]] = []
        self.calls: list[tuple[str, str]] = []
        self.keys: set[str] = set()
        super().__init__()

    def bodies(self, batch: dict[str, Any]) -> dict[str, dict[str, Any]]:
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines)
        assert {line["url"] for line in lines} == {"/v1/chat/completions"}
        return {line["custom_id"]: line["body"] for line in lines}

    def serve(self, handler: BaseHTTPRequestHandler, data: bytes) -> Reaction:
        url = urlsplit(handler.path)
        with self._lock:
            self.keys.add(handler.headers.get("Authorization", ""))
            self.calls.append((handler.command, url.path))
            number = len(self.calls)
        reaction = self.intervene(handler.command, url.path, number)
        if reaction is not None and reaction != HANG_UP_AFTER:
            return reaction
        with self._lock:
            done = self._do(handler.command, url.path.removeprefix("/v1"), url.query, data, handler)
        return done if reaction is None else reaction

    def _do(
        self, method: str, path: str, query: str, data: bytes, handler: BaseHTTPRequestHandler
    ) -> Reaction:
        if (method, path) == ("POST", "/files"):
            boundary = str(handler.headers["Content-Type"]).split("boundary=")[1]
            return _json(self._upload(data, boundary))
        if (method, path) == ("POST", "/batches"):
            return self._create(json.loads(data))
        if (method, path) == ("GET", "/batches"):
            return _json(self._list(parse_qs(query)))
        if method == "GET" and (match := re.fullmatch(r"/files/([^/]+)/content", path)):
            if match[1] not in self.files:
                return failure(404, "no such file")
            return 200, {"Content-Type": "application/octet-stream"}, self.files[match[1]]
        if method == "GET" and (match := re.fullmatch(r"/batches/([^/]+)", path)):
            for batch in self.created:
                if batch["id"] == match[1]:
                    self._go_on(batch)
                    return _json(_shown(batch))
            return failure(404, "no such batch")
        return failure(404, f"no {method} {path}")

    def _upload(self, data: bytes, boundary: str) -> dict[str, Any]:
        parts = data.split(b"--" + boundary.encode())
        content = next(part for part in parts if b'filename="' in part)
        name = f"file-{len(self.files)}"
        self.files[name] = content.split(b"\r\n\r\n", 1)[1].removesuffix(b"\r\n")
        return {"id": name, "object": "file", "bytes": len(self.files[name]), "created_at": 1}

    def _create(self, wanted: dict[str, Any]) -> Reaction:
        if wanted["input_file_id"] not in self.files:
            return failure(400, "no such input file")
        assert wanted["completion_window"] == "24h"
        batch = {
            "id": f"batch-{len(self.created)}",
            "object": "batch",
            "created_at": int(time.time()),
            "status": "validating",
            "looks": 0,
            **wanted,
        }
        self.created.append(batch)
        return _json(_shown(batch))

    def _list(self, query: dict[str, list[str]]) -> dict[str, Any]:
        newest_first = [_shown(batch) for batch in reversed(self.created)]
        ids = [batch["id"] for batch in newest_first]
        start = ids.index(query["after"][0]) + 1 if "after" in query else 0
        # Smaller pages than asked for, so that going through them is tested.
        page = newest_first[start : start + 2]
        return {"object": "list", "data": page, "has_more": start + 2 < len(ids)}

    def _go_on(self, batch: dict[str, Any]) -> None:
        batch["looks"] += 1
        if batch["status"] == "validating":
            batch["status"] = "in_progress"
        if batch["looks"] < self.done_after or batch["status"] != "in_progress":
            return
        batch["status"] = self.ends_as
        lines = [self.answer(name, body) for name, body in self.bodies(batch).items()]
        there = [line for line in lines if line is not None]
        good, bad = [], []
        for line in there:
            status = (line.get("response") or {}).get("status_code")
            (good if status == 200 else bad).append(line)
        for key, kept in (("output_file_id", good), ("error_file_id", bad)):
            if kept and self.ends_as != "failed":
                batch[key] = f"{key}-of-{batch['id']}"
                self.files[batch[key]] = b"".join(
                    json.dumps(line).encode() + b"\n" for line in kept
                )
        self.finish(batch)


def _shown(batch: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in batch.items() if name != "looks"}


def _json(content: dict[str, Any]) -> Reaction:
    return 200, {}, json.dumps(content).encode()
