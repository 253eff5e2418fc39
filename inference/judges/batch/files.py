"""The files a batch is made of, of requests and of results, and the journal's notes of it.

Notes say what must be known of batches after a restart. A submission is one file of requests that
becomes one batch. Its notes, in order:

| state | says | what a restart does |
|---|---|---|
| `intent` | which requests it holds | nothing was sent that costs: they are sent anew |
| `uploaded` | the file; the batch may exist | looks for the batch, creates it if there is none |
| `submitted` | the batch | goes on waiting for it |
| `collected` | everything in it is in the journal | nothing |
| `failed` | there is no batch, or it was refused as a whole | its requests are sent anew |

A submission's requests are kept as marks, 16 digits of a hash each, one behind the other: full ids
would take four times the room, and whoever plans the run anew has them.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

ENDPOINT = "/v1/chat/completions"
_MARK_DIGITS = 16
_CLOSED = ("collected", "failed")


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
        message: What went wrong, as text; empty where nothing did.
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


def mark(request_id: str) -> str:
    """Return what stands for a request id in notes."""
    return hashlib.blake2b(request_id.encode(), digest_size=_MARK_DIGITS // 2).hexdigest()


def packed(request_ids: Iterable[str]) -> str:
    """Return the marks of request ids, one behind the other."""
    return "".join(mark(request_id) for request_id in request_ids)


def unpacked(marks: str) -> frozenset[str]:
    """Return the single marks of a packed text."""
    starts = range(0, len(marks), _MARK_DIGITS)
    return frozenset(marks[start : start + _MARK_DIGITS] for start in starts)


@dataclass
class Submission:
    """One file of requests on its way.

    Attributes:
        name: Unique; the batch carries it in its metadata, so that it can be found again.
        marks: Its requests, packed.
        open_marks: Those of them whose results may still be wanted, packed.
        omitted: Parameters its requests are sent without.
        began_at: When it was noted first, in seconds since 1970.
        file_id: The endpoint's name for the file, once uploaded.
        batch_id: The endpoint's name for the batch, once created.
        members: Those of its requests that are wanted now.
        is_alone: Whether it was sent while no other was under way, because the account can queue
            no more.
    """

    name: str
    marks: str
    open_marks: str
    omitted: tuple[str, ...]
    began_at: float
    file_id: str | None = None
    batch_id: str | None = None
    members: set[str] = field(default_factory=set)
    is_alone: bool = False


@dataclass
class BatchState:
    """What the notes of earlier starts say.

    Attributes:
        submissions: Those that may still bring answers.
        refused: Parameters the endpoint has refused.
        one_at_a_time: Whether the account was found to queue no more than one batch.
    """

    submissions: list[Submission]
    refused: list[str]
    one_at_a_time: bool

    @classmethod
    def of(cls, notes: Sequence[Mapping[str, Any]]) -> BatchState:
        """Read notes, oldest first."""
        found: dict[str, Submission] = {}
        refused: dict[str, None] = {}
        one_at_a_time = any(note.get("one_at_a_time") for note in notes)
        for note in notes:
            name, state = note.get("submission"), note.get("state")
            refused.update(dict.fromkeys(note.get("refused", ())))
            if state == "intent" and isinstance(name, str):
                found[name] = Submission(
                    name=name,
                    marks=note["marks"],
                    open_marks=note["marks"],
                    omitted=tuple(note["omitted"]),
                    began_at=note["began_at"],
                )
                refused.update(dict.fromkeys(note["omitted"]))
            if name not in found:
                continue
            submission = found[name]
            submission.file_id = note.get("file", submission.file_id)
            submission.batch_id = note.get("batch", submission.batch_id)
            if state in _CLOSED:
                # Answers that were not wanted then may be wanted now, and are paid for.
                submission.open_marks = note.get("left_out", "")
        still_open = [each for each in found.values() if each.open_marks]
        return cls(still_open, list(refused), one_at_a_time)


class Sieve:
    """Tells the results that are wanted from those that are not, and counts these.

    Attributes:
        missing: Requests without a result so far.
        left_out: Answered requests that are not wanted now, but may be later.
        odd: Lines about a request that is none of this batch's, about one for the second time,
            and lines that cannot be read.
    """

    def __init__(self, submission: Submission) -> None:
        self._members = submission.members
        self._marks = unpacked(submission.marks)
        self._open_marks = unpacked(submission.open_marks)
        self.missing = set(submission.members)
        self.left_out: set[str] = set()
        self.odd = {"damaged": 0, "repeated": 0, "unknown": 0}

    def keeps(self, result: Result | None) -> bool:
        """Return whether a result is wanted; each request's is once."""
        if result is None:
            self.odd["damaged"] += 1
            return False
        if result.request_id in self.missing:
            self.missing.remove(result.request_id)
            return True
        if result.request_id in self._members:
            self.odd["repeated"] += 1
        elif mark(result.request_id) not in self._marks:
            self.odd["unknown"] += 1
        elif mark(result.request_id) in self._open_marks and result.status == 200:
            self.left_out.add(result.request_id)
        return False

    def facts(self) -> dict[str, Any]:
        """Return what there is to note."""
        facts: dict[str, Any] = {name: count for name, count in self.odd.items() if count}
        return facts | ({"left_out": packed(sorted(self.left_out))} if self.left_out else {})
