"""`batch/MODEL`: the OpenAI Batch API, which answers within a day, at half the price.

Requests are written into files, each file becomes a batch, and the batches' results are read when
they are done. Whatever happens to this process, the batches go on: every step is noted in the run's
journal before and after it is taken, so that the same command goes on waiting for them, and nothing
is submitted, and paid for, twice.
"""

import asyncio
import time
import uuid
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, Self

from openai.types import Batch

from inference.judges.base import Notes, Reply
from inference.judges.batch.files import (
    BatchState,
    RequestFile,
    Result,
    Sieve,
    Submission,
    mark,
    packed,
    read_result,
    request_line,
    unpacked,
)
from inference.judges.batch.remote import BatchRemote, RefusedForGood
from inference.judges.client import LONGEST_REPLY_BYTES
from inference.judges.openai_chat import Chat, ChatJudge, refused_parameter
from inference.judges.request import Request
from inference.registry import JudgeSpec

_UNFINISHED = ("validating", "in_progress", "finalizing", "cancelling")
# A batch takes minutes to a day: looked at ever more rarely, while nothing changes.
_SLOWER = 1.5
_SLOWEST = 10
# After so many prompts others get a turn.
_TURN = 100


class BatchJudge(ChatJudge):
    """One model behind one endpoint's Batch API; the price is that in a batch."""

    # Requests are never sent one by one.
    concurrency = 1

    _remote: BatchRemote | None = None

    async def __aenter__(self) -> Self:
        self._chat.read_key(self._environ)
        self._remote = BatchRemote(self._chat)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._remote is not None:
            await self._remote.close()
            self._remote = None

    async def ask(self, request: Request) -> Reply:
        """Batches answer many requests at once: this is never called."""
        del request
        raise RuntimeError("batch: requests are asked together, with ask_many")

    def ask_many(
        self, requests: Mapping[str, Request], notes: Notes
    ) -> AsyncIterator[tuple[str, Reply]]:
        """Answer requests in batches, going on with those that earlier starts created."""
        if self._remote is None:
            raise RuntimeError("batch: the judge was asked before it was opened")
        return _Batches(self._spec, self._chat, self._remote, requests, notes).answers()


class _Batches:
    """The batches of one run."""

    def __init__(
        self,
        spec: JudgeSpec,
        chat: Chat,
        remote: BatchRemote,
        requests: Mapping[str, Request],
        notes: Notes,
    ) -> None:
        self._settings = spec.settings
        self._chat = chat
        self._remote = remote
        self._requests = requests
        self._notes = notes
        state = BatchState.from_notes(notes.read())
        self._earlier = state.submissions
        self._refused = state.refused
        self._one_at_a_time = state.one_at_a_time
        self._waiting: deque[str] = deque()
        self._under_way: list[Submission] = []
        self._seen: dict[str, object] = {}

    async def answers(self) -> AsyncIterator[tuple[str, Reply]]:
        covered: set[str] = set()
        for submission in self._earlier:
            if await self._take_up(submission, covered):
                covered |= submission.members
        self._waiting.extend(each for each in self._requests if each not in covered)
        async for answer in self._submit():
            yield answer
        least_s = wait_s = float(self._settings["poll_s"])
        while self._under_way:
            has_changed = False
            for submission in list(self._under_way):
                batch = await self._remote.look(submission)
                if batch is None:
                    continue
                now = (batch.status, str(batch.request_counts))
                has_changed |= now != self._seen.get(submission.name)
                self._seen[submission.name] = now
                if batch.status in _UNFINISHED:
                    continue
                async for answer in self._collect(submission, batch):
                    yield answer
                self._under_way.remove(submission)
                async for answer in self._submit():
                    yield answer
            if self._under_way:
                wait_s = least_s if has_changed else min(wait_s * _SLOWER, least_s * _SLOWEST)
                await asyncio.sleep(wait_s)

    async def _take_up(self, submission: Submission, covered: set[str]) -> bool:
        """Go on with an earlier start's submission; False where nothing can come of it."""
        marks = unpacked(submission.open_marks)
        submission.members = {
            each for each in self._requests if each not in covered and mark(each) in marks
        }
        if not submission.members:
            # Nothing of it is wanted now. It stays as it is for a start that wants it.
            return False
        if submission.file_id is None:
            await self._note(submission, "failed", reason="nothing was uploaded")
            return False
        if submission.batch_id is None:
            await self._create(submission, may_exist=True)
        self._under_way.append(submission)
        return True

    async def _submit(self) -> AsyncIterator[tuple[str, Reply]]:
        """Send off what waits, in as many batches as it needs; yield what fits into none."""
        most = int(self._settings["max_batch_requests"])
        most_bytes = int(self._settings["max_batch_bytes"])
        while self._waiting and not (self._one_at_a_time and self._under_way):
            with closing(RequestFile(most, most_bytes, tuple(self._refused))) as chunk:
                while self._waiting:
                    request_id = self._waiting[0]
                    body = self._chat.body(self._requests[request_id], chunk.omitted)
                    line = request_line(request_id, body)
                    if len(line) > most_bytes:
                        self._waiting.popleft()
                        words = f"its {len(line)} bytes are over max_batch_bytes, {most_bytes}"
                        failed = self._chat.failed("bad_request", words)
                        yield request_id, replace(failed, is_sent=False)
                        continue
                    if not chunk.add(request_id, line):
                        break
                    self._waiting.popleft()
                    if len(chunk.ids) % _TURN == 0:
                        await asyncio.sleep(0)
                if chunk.ids:
                    await self._send(chunk)

    async def _send(self, chunk: RequestFile) -> None:
        marks = packed(chunk.ids)
        submission = Submission(
            name=f"rostrum-{uuid.uuid4().hex}",
            marks=marks,
            open_marks=marks,
            omitted=chunk.omitted,
            began_at=round(time.time(), 3),
            members=set(chunk.ids),
            is_alone=self._one_at_a_time,
        )
        await self._note(
            submission,
            "intent",
            requests=len(chunk.ids),
            marks=marks,
            omitted=list(chunk.omitted),
            began_at=submission.began_at,
        )
        submission.file_id = await self._remote.upload(submission, chunk.file)
        await self._note(submission, "uploaded", file=submission.file_id)
        await self._create(submission, may_exist=False)
        self._under_way.append(submission)

    async def _create(self, submission: Submission, *, may_exist: bool) -> None:
        try:
            submission.batch_id = await self._remote.create(submission, may_exist=may_exist)
        except RefusedForGood as error:
            # The next start must not come back to a file that is not taken.
            await self._note(submission, "failed", reason=str(error))
            raise
        await self._note(submission, "submitted", batch=submission.batch_id)

    async def _collect(
        self, submission: Submission, batch: Batch
    ) -> AsyncIterator[tuple[str, Reply]]:
        """Yield the outcomes of a batch's requests; those to be sent again wait for it."""
        if batch.status == "failed":
            async for answer in self._collect_failed(submission, batch):
                yield answer
            return
        sieve = Sieve(submission)
        async for line in self._lines(batch):
            result = read_result(line)
            if not sieve.keeps(result) or result is None:
                continue
            reply = self._reply(submission, result)
            if reply is None:
                self._waiting.append(result.request_id)
            else:
                yield result.request_id, reply
        for request_id in sieve.missing:
            kind, words = "server", "the batch's files hold no result for it"
            if batch.status != "completed":
                kind = "expired"
                words = f"the batch ended as {batch.status}, without a reply to this request"
            yield request_id, self._chat.failed(kind, words)
        await self._note(
            submission,
            "collected",
            status=batch.status,
            refused=list(self._refused),
            **sieve.facts(),
        )

    async def _collect_failed(
        self, submission: Submission, batch: Batch
    ) -> AsyncIterator[tuple[str, Reply]]:
        """Deal with a batch that was refused as a whole. It cost nothing."""
        errors = (batch.errors.data if batch.errors else None) or []
        first = errors[0] if errors else None
        message = (first.message if first else None) or "the batch failed without a reason"
        code, named = (first.code, first.param) if first else (None, None)
        some_request = self._requests[next(iter(submission.members))]
        body = self._chat.body(some_request, submission.omitted)
        parameter = refused_parameter(message, code, named, body)
        is_too_much = code == "token_limit_exceeded"
        if parameter is not None:
            self._refuse(parameter)
            self._waiting.extend(sorted(submission.members))
        elif is_too_much and not submission.is_alone:
            # The account may queue only so many tokens: one batch waits for the other from now on.
            self._one_at_a_time = True
            self._waiting.extend(sorted(submission.members))
        else:
            if is_too_much:
                message = f"{message} (lower the judge's max_batch_requests)"
            reply = self._chat.rejected(429 if is_too_much else 400, message, code)
            for request_id in submission.members:
                yield request_id, reply
        await self._note(
            submission,
            "failed",
            reason=message,
            refused=list(self._refused),
            one_at_a_time=self._one_at_a_time,
        )

    async def _lines(self, batch: Batch) -> AsyncIterator[bytes]:
        for file_id in (batch.output_file_id, batch.error_file_id):
            file = await self._remote.download(file_id) if file_id else None
            if file is not None:
                with file:
                    is_cut = False
                    while line := file.readline(LONGEST_REPLY_BYTES):
                        # The rest of a longer line is no result, and neither is its beginning.
                        if not is_cut and line.strip():
                            yield line
                        is_cut = not line.endswith(b"\n")

    def _reply(self, submission: Submission, result: Result) -> Reply | None:
        """Return the reply in a result; None where the request is to be sent again."""
        request = self._requests[result.request_id]
        body = self._chat.body(request, submission.omitted)
        if result.status == 200:
            return self._chat.reply(result.text or "", request, body, submission.omitted)
        if result.status is None:
            ended = result.code in ("batch_expired", "batch_cancelled")
            words = result.message or result.code or "the result has neither a reply nor an error"
            return self._chat.failed("expired" if ended else "server", words)
        if result.status in (400, 422):
            parameter = refused_parameter(result.message, result.code, result.parameter, body)
            if parameter is not None:
                self._refuse(parameter)
                return None
        words = result.message or f"status {result.status}"
        return self._chat.rejected(result.status, words, result.code, body=result.text)

    def _refuse(self, parameter: str) -> None:
        if parameter not in self._refused:
            self._refused.append(parameter)

    async def _note(self, submission: Submission, state: str, **facts: Any) -> None:
        # The endpoint's own names and words are among them, and it has seen the key.
        clean = {
            name: self._chat.without_key(fact) if isinstance(fact, str) else fact
            for name, fact in facts.items()
        }
        note = {"kind": "batch", "state": state, "submission": submission.name, **clean}
        await self._notes.write(note)
