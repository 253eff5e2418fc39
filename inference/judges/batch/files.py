"""The two kinds of files a batch is made of: lines of requests, and lines of results."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

ENDPOINT = "/v1/chat/completions"


class RequestFile:
    """Requests on their way into a batch, on the disk and not in memory. To be closed.

    Args:
        max_requests: The most lines it takes.
        max_bytes: The most bytes it takes.
        omitted: Parameters its requests are sent without.
    """

    def __init__(self, max_requests: int, max_bytes: int, omitted: tuple[str, ...]) -> None:
        self._max_requests = max_requests
        self._max_bytes = max_bytes
        self.omitted = omitted
        self.file = tempfile.TemporaryFile(prefix="rostrum-batch-")  # noqa: SIM115
        self.ids: list[str] = []
        self._size = 0

    def has_room_for(self, line: bytes) -> bool:
        """Return whether another line fits."""
        return len(self.ids) < self._max_requests and self._size + len(line) <= self._max_bytes

    def add(self, request_id: str, line: bytes) -> None:
        """Add a request."""
        self.ids.append(request_id)
        self.file.write(line)
        self._size += len(line)

    def close(self) -> None:
        """Let go of the file."""
        self.file.close()


def request_line(request_id: str, body: Mapping[str, Any]) -> bytes:
    """Return a request's line in a batch's input file."""
    line = {"custom_id": request_id, "method": "POST", "url": ENDPOINT, "body": body}
    # Other alphabets take up to six times the room as escapes; half a surrogate pair takes none.
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class Result(NamedTuple):
    """One line of a batch's results.

    Attributes:
        request_id: Which request it is about.
        status: The HTTP status the request had; None where it had none.
        text: The body it was answered with, as JSON.
        message: What went wrong, in words; empty where nothing did.
        code: The endpoint's code for that.
        parameter: The parameter it says that is about.
    """

    request_id: str
    status: int | None
    text: str | None
    message: str
    code: str | None
    parameter: str | None


def read_result(line: bytes) -> Result | None:
    """Return what a line of an output or error file says; None where it is damaged."""
    try:
        content = json.loads(line)
        request_id = content["custom_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(request_id, str):
        return None
    response = _table(content.get("response"))
    status = response.get("status_code")
    body = response.get("body")
    text = None if body is None else body if isinstance(body, str) else json.dumps(body)
    error = _table(_table(body).get("error")) or _table(content.get("error"))
    code, parameter = error.get("code"), error.get("param")
    return Result(
        request_id=request_id,
        status=status if isinstance(status, int) else None,
        text=text,
        message=str(error.get("message") or ""),
        code=code if isinstance(code, str) else None,
        parameter=parameter if isinstance(parameter, str) else None,
    )


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
