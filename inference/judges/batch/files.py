"""The files of a batch, of requests and of results, and the journal's notes of it.

A submission is one file of requests that becomes one batch. Its notes, in order:

| state | contents | at a restart |
|---|---|---|
| `intent` | the requests in it | nothing was sent that costs: they are sent again |
| `uploaded` | the file; the batch may exist | looks for the batch, creates it if there is none |
| `submitted` | the batch | goes on waiting for it |
| `collected` | everything in it is in the journal | nothing |
| `failed` | there is no batch, or it was refused as a whole | its requests are sent again |

A submission's requests are kept as marks, 16 digits of a hash each, one behind the other: full ids
would take four times the room, and the plan of the run has them.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from inference.judges.endpoint import OR_NONE, ForeignJson, IntOrNone, TextOrNone, read_json

ENDPOINT = "/v1/chat/completions"
_MARK_DIGITS = 16


class RequestFile:
    """Requests for a batch, on the disk and not in memory. To be closed."""

    def __init__(self, max_requests: int, max_bytes: int, omitted: tuple[str, ...]) -> None:
        self._max_requests = max_requests
        self._max_bytes = max_bytes
        self.omitted = omitted
        self.file = tempfile.TemporaryFile(prefix="rostrum-batch-")  # noqa: SIM115
        self.ids: list[str] = []
        self._size = 0

    def add(self, request_id: str, line: bytes) -> bool:
        """Add a request; False where the file has no room for it."""
        if len(self.ids) >= self._max_requests or self._size + len(line) > self._max_bytes:
            return False
        self.ids.append(request_id)
        self.file.write(line)
        self._size += len(line)
        return True

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def request_line(request_id: str, body: Mapping[str, Any]) -> bytes:
    """Return a request's line in a batch's input file."""
    line = {"custom_id": request_id, "method": "POST", "url": ENDPOINT, "body": body}
    # Other alphabets take up to six times the room as escapes; half a surrogate pair takes none.
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


class _Error(ForeignJson):
    message: TextOrNone = None
    code: TextOrNone = None
    param: TextOrNone = None


class _Failure(ForeignJson):
    error: Annotated[_Error | None, OR_NONE] = None


class _Response(ForeignJson):
    status_code: IntOrNone = None
    body: Any = None


class _Line(_Failure):
    custom_id: str
    response: Annotated[_Response | None, OR_NONE] = None


class Result(NamedTuple):
    """One line of a batch's results.

    Attributes:
        status: The HTTP status of the request; None where it had none.
        text: The body of the response, as JSON.
        message: The error, as text; empty without one.
    """

    request_id: str
    status: int | None
    text: str | None
    message: str
    code: str | None
    parameter: str | None


def read_result(line: bytes) -> Result | None:
    """Return the result in a line of an output or error file; None where it is damaged."""
    try:
        content = read_json(_Line, line)
    except ValueError:
        return None
    response = content.response or _Response()
    body = response.body
    inner = _Failure.model_validate(body).error if isinstance(body, dict) else None
    error = inner or content.error or _Error()
    return Result(
        request_id=content.custom_id,
        status=response.status_code,
        text=body if body is None or isinstance(body, str) else json.dumps(body),
        message=error.message or "",
        code=error.code,
        parameter=error.param,
    )


def mark(request_id: str) -> str:
    """Return the mark of a request id in notes."""
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
    """One file of requests, and its batch.

    Attributes:
        name: Unique; the batch carries it in its metadata, so that it can be found again.
        open_marks: Those of them whose results may still be wanted, packed.
        omitted: Parameters its requests are sent without.
        began_at: Seconds since 1970.
        members: Those of its requests that are wanted now.
        is_alone: Whether it was sent while there was no other, because the account can queue no
            more.
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
    """The state of a run's batches, from the notes of earlier starts.

    Attributes:
        submissions: Those that may still bring answers.
        one_at_a_time: Whether the account can queue no more than one batch.
    """

    submissions: list[Submission]
    refused: list[str]
    one_at_a_time: bool

    @classmethod
    def from_notes(cls, notes: Sequence[Mapping[str, Any]]) -> BatchState:
        """Read notes, oldest first."""
        submissions: dict[str, Submission] = {}
        refused: dict[str, None] = {}
        for note in notes:
            name, state = note.get("submission"), note.get("state")
            refused.update(dict.fromkeys(note.get("refused", ())))
            if state == "intent" and isinstance(name, str):
                marks, omitted = note["marks"], tuple(note["omitted"])
                submissions[name] = Submission(name, marks, marks, omitted, note["began_at"])
                refused.update(dict.fromkeys(omitted))
            if name in submissions:
                submission = submissions[name]
                submission.file_id = note.get("file", submission.file_id)
                submission.batch_id = note.get("batch", submission.batch_id)
                if state in ("collected", "failed"):
                    # Answers that were not wanted then may be wanted now, and are paid for.
                    submission.open_marks = note.get("left_out", "")
        still_open = [each for each in submissions.values() if each.open_marks]
        return cls(still_open, list(refused), any(note.get("one_at_a_time") for note in notes))


class Sieve:
    """Separates the results that are wanted from all others, and counts these.

    Attributes:
        missing: Requests without a result so far.
        left_out: Answered requests that are not wanted now, but may be later.
        odd: Lines about a request of another batch, about one for the second time, and lines that
            cannot be read.
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
        """Return the counts to note."""
        facts: dict[str, Any] = {name: count for name, count in self.odd.items() if count}
        return facts | ({"left_out": packed(sorted(self.left_out))} if self.left_out else {})
