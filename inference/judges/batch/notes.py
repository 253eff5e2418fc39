"""What must be known of batches after a restart, and how the journal's notes say it.

A submission is one file of requests that becomes one batch. Its notes, in order:

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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.judges.batch.files import Result

_MARK_DIGITS = 16
_CLOSED = ("collected", "failed")


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
