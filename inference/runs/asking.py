"""Asking a judge what is missing: paced, tried again where that helps, within time and money.

The turn at the endpoint ends with the reply; the answer then waits for the disk while the next
request is on its way.
"""

import asyncio
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

from inference.errors import UNBILLED_KINDS
from inference.journal import Journal
from inference.judges.base import FINAL_KINDS, TRANSIENT_KINDS, BulkJudge, Reply, Request
from inference.plan import PlannedRun
from inference.runs.history import OwnAnswers
from inference.runs.limits import Budget, Pace, backoff_s
from inference.runs.lines import answer_line, step_line
from inference.runs.rates import shared_rates
from inference.runs.requests import Missing
from inference.runs.stopping import StopSignals
from inference.runs.terms import Terms
from inference.tally import Tally
from inference.tokens import Context, estimated

# Requests in flight are paid for: they get this long to come in after a stop was asked for.
GRACE_S = 3.0
# A refused request costs nothing; whether one that broke off was paid for, nobody knows, and some
# endpoints bill a prompt that their filter has read.
_DOUBTFUL_KINDS = frozenset({"connection", "empty_choices", "filtered", "malformed", "timeout"})


@dataclass(frozen=True)
class Start:
    """What one start of a run asks with.

    Attributes:
        plan: The requests, and who is asked.
        terms: On which terms.
        budget: What all runs of the call may cost.
        journal: Where answers go.
        tally: Counts them.
        stop: Says when to stop.
        own: What the run's journal holds already.
    """

    plan: PlannedRun
    terms: Terms
    budget: Budget
    journal: Journal
    tally: Tally
    stop: StopSignals
    own: OwnAnswers


class _Asked(NamedTuple):
    """The outcome of a request: the last reply, how often it was sent, and for how long.

    `doubtful` counts the attempts of which nobody knows whether they were paid for; `context` is
    how long the prompt was, where it was counted; `retried` says how each attempt before the last
    failed, and how long was waited then.
    """

    reply: Reply
    attempts: int
    latency_s: float
    doubtful: int
    context: Context | None = None
    retried: tuple[Mapping[str, Any], ...] = ()


class Asking:
    """The requests of one run, asked until none is missing or something says stop.

    Args:
        start: What to ask with.
        pace: The pace of the endpoint, if others share it.

    Attributes:
        held: Requests that need not be asked again.
        failed: Requests that failed in this start.
    """

    def __init__(self, start: Start, pace: Pace | None = None) -> None:
        self._plan, self._terms, self._budget = start.plan, start.terms, start.budget
        self._journal, self._tally, self._stop = start.journal, start.tally, start.stop
        self._notes: list[Mapping[str, Any]] = list(start.own.notes)
        self._steps = start.own.steps
        self._pending_usd = dict(start.own.pending_usd)
        self._pace = pace or Pace(
            start.plan.judge.concurrency,
            start.terms.spec.settings,
            shared=shared_rates(start.terms.spec),
        )
        # When to try again need not be reproducible; that two runs do not do it in step matters.
        self._jitter = random.Random()  # noqa: S311
        self.held: set[str] = set()
        self.failed = 0

    def hold(self, request_ids: Iterable[str]) -> None:
        """Take requests as answered."""
        self.held.update(request_ids)

    def status(self, *, has_answers: bool) -> str:
        """Return what the run's `end` line says."""
        if len(self.held) == len(self._plan.requests):
            return "complete"
        if self._stop.requested:
            return "interrupted"
        if self._budget.is_exhausted:
            return "over_budget"
        return "partial" if has_answers else "failed"

    async def ask_all(self) -> None:
        """Ask everything that is not held.

        Raises:
            JudgeUnavailable: The same failure came too often in a row.
            JournalWriteFailed: The disk did not take an answer.
        """
        missing = len(self._plan.requests) - len(self.held)
        if not missing:
            return
        if hasattr(self._plan.judge, "ask_many"):
            await self._until_stopped(self._ask_together())
        else:
            await self._until_stopped(self._ask_each(missing))

    async def _until_stopped(self, work: Any) -> None:
        working = asyncio.create_task(work)
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({working}, timeout=GRACE_S)
        finally:
            working.cancel()
            stopping.cancel()
            await asyncio.wait({working, stopping})
        error = None if working.cancelled() else working.exception()
        if isinstance(error, BaseExceptionGroup):
            raise error.exceptions[0]
        if error is not None:
            raise error

    async def _ask_each(self, missing: int) -> None:
        waiting = iter([each for each in self._plan.requests if each not in self.held])
        # More than may be in flight: some wait for the disk, or to be tried again.
        workers = min(2 * self._plan.judge.concurrency + self._journal.waiting, missing)
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work(waiting))

    async def _work(self, waiting: Iterator[str]) -> None:
        for request_id in waiting:
            if self._stop.requested:
                return
            request = replace(
                self._plan.requests[request_id],
                finished_steps=self._steps.get(request_id, ()),
                keep_step=partial(self._keep_step, request_id),
            )
            most_usd, doubtful_usd = self._bounds(request)
            if not await self._budget.reserve(most_usd):
                return
            # What is under way when the run is stopped may be paid for.
            paid_usd = most_usd
            try:
                asked = await self._ask(request)
                if asked is None:
                    paid_usd = 0.0
                    return
                # What earlier starts have paid for is spent already.
                paid_usd = (asked.reply.cost_usd or 0.0) - self._pending_usd.pop(request_id, 0.0)
                paid_usd = max(0.0, paid_usd) + asked.doubtful * doubtful_usd
            finally:
                self._budget.settle(most_usd, paid_usd)
            await self._keep(request_id, request, asked)

    def _bounds(self, request: Request) -> tuple[float, float]:
        """Return the most a request can cost, and the most that one message of it can."""
        if self._terms.budget_usd is None:
            return 0.0, 0.0
        # Where others take part, only the judge knows whom.
        if (bounds := getattr(self._plan.judge, "most_usd", None)) is not None:
            return cast("tuple[float, float]", bounds(request))
        most_usd = self._terms.most_usd(request)
        return most_usd, most_usd

    async def _keep_step(self, request_id: str, step: Mapping[str, Any]) -> None:
        await self._journal.append(step_line(request_id, step))

    async def _ask(self, request: Request) -> _Asked | None:
        """Return the outcome of a request; None if a stop came before it was sent."""
        context = self._terms.context(request)
        unsent = self._terms.unsent(request, context)
        if unsent is not None:
            return _Asked(unsent, 0, 0.0, 0, context)
        until = time.monotonic() + self._terms.deadline_s
        tokens = sum(map(estimated, (request.sent, *request.note_prompts)))
        attempts = doubtful = tries = said = 0
        retried: list[Mapping[str, Any]] = []
        while True:
            began = await self._pace.start(tokens)
            reply: Reply | None = None
            try:
                if self._stop.requested and not attempts:
                    return None
                reply = await self._plan.judge.ask(request)
            finally:
                self._pace.end(began, reply, tokens)
            now = time.monotonic()
            attempts += reply.is_sent
            doubtful += reply.is_sent and reply.error_kind in _DOUBTFUL_KINDS
            steps = reply.searches or reply.notes or reply.steps or ()
            if doubtful and reply.error_kind in UNBILLED_KINDS and not steps:
                # The refusal is free, but what broke off before it may not have been.
                reply = replace(reply, cost_usd=None)
            asked = _Asked(reply, attempts, now - began, doubtful, context, tuple(retried))
            replies = sum(step.get("reply") is not None for step in steps)
            if replies > said:
                # It is another message of the request that has failed now.
                tries, said, until = 0, replies, now + self._terms.deadline_s
            tries += 1
            if reply.error_kind not in TRANSIENT_KINDS or tries > self._terms.max_retries:
                return asked
            wait_s = backoff_s(tries, reply.retry_after_s, self._jitter)
            if now + wait_s > until or self._stop.requested:
                return asked
            if steps:
                request = replace(request, finished_steps=steps)
            retried.append(
                {
                    "error_kind": reply.error_kind,
                    "error": reply.error,
                    "latency_s": round(now - began, 6),
                    "wait_s": round(wait_s, 3),
                }
            )
            await asyncio.sleep(wait_s)

    async def _ask_together(self) -> None:
        judge = cast("BulkJudge", self._plan.judge)
        began = time.monotonic()
        counted: dict[str, Context | None] = {}
        for request_id, request in Missing(self._plan.requests, self.held).items():
            context = counted[request_id] = self._terms.context(request)
            unsent = self._terms.unsent(request, context)
            if unsent is not None:
                await self._keep(request_id, request, _Asked(unsent, 0, 0.0, 0, context))
        missing = Missing(self._plan.requests, self.held)
        async for request_id, reply in judge.ask_many(missing, self):
            took_s = time.monotonic() - began
            asked = _Asked(reply, int(reply.is_sent), took_s, 0, counted.get(request_id))
            await self._keep(request_id, self._plan.requests[request_id], asked)

    def read(self) -> Sequence[Mapping[str, Any]]:
        """Return what a bulk judge has noted in this journal, oldest first."""
        return tuple(self._notes)

    async def write(self, note: Mapping[str, Any]) -> None:
        """Note a line for a bulk judge; returns once the disk has it."""
        await self._journal.append({**note, "kind": "batch"})
        self._notes.append(note)

    async def _keep(self, request_id: str, request: Request, asked: _Asked) -> None:
        reply = asked.reply
        line = answer_line(
            request_id,
            request,
            reply,
            asked.latency_s,
            asked.attempts,
            asked.context,
            asked.retried,
        )
        if reply.error_kind is None or reply.error_kind in FINAL_KINDS:
            self.held.add(request_id)
        if reply.error_kind is not None:
            self.failed += 1
        await self._journal.append(line)
        self._tally.add_new(line, self._terms.spec)
