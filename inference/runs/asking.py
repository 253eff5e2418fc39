"""Asking a judge what is missing: paced, tried again where that helps, within time and money.

The turn at the endpoint ends with the reply; the answer then waits for the disk while the next
request is on its way.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from inference.errors import FINAL_KINDS
from inference.journal import Journal
from inference.judges.base import BulkJudge, Reply
from inference.judges.request import Request
from inference.plan import PlannedRun
from inference.runs.history import OwnAnswers
from inference.runs.limits import Budget, Pace
from inference.runs.lines import answer_line, given_up_line, step_line
from inference.runs.requests import Missing
from inference.runs.sending import Afford, Outcome, Sender, Stopped
from inference.runs.stopping import StopSignals
from inference.runs.terms import Terms
from inference.tally import Tally
from inference.tokens import Context, estimated

# Requests in flight are paid for: they get this long to come in after a stop was asked for.
GRACE_S = 3.0


@dataclass(frozen=True)
class Start:
    """What one start of a run asks with."""

    plan: PlannedRun
    terms: Terms
    budget: Budget
    journal: Journal
    tally: Tally
    stop: StopSignals
    own: OwnAnswers


class Asking:
    """The requests of one run, asked until none is missing or something says stop."""

    def __init__(self, start: Start, pace: Pace | None = None) -> None:
        self._plan, self._terms, self._budget = start.plan, start.terms, start.budget
        self._journal, self._tally, self._stop = start.journal, start.tally, start.stop
        self._notes: list[Mapping[str, Any]] = list(start.own.notes)
        self._steps = start.own.steps
        self._pending_usd = dict(start.own.pending_usd)
        spec, stop = start.terms.spec, start.stop
        self._sender = Sender(spec, start.plan.judge.concurrency, pace, lambda: stop.requested)
        # Requests that have been sent, and whose outcome is not known.
        self._under_way: set[str] = set()
        # Whether a request was not sent again because that could have passed the budget.
        self._is_short = False
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
        if self._budget.is_exhausted or self._is_short:
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
            request = self._plan.requests[request_id]
            bounds = self._terms.bounds(self._plan.judge, request)
            context = self._terms.context(request)
            request = replace(
                request,
                finished_steps=self._steps.get(request_id, ()),
                keep_step=partial(self._keep_step, request_id, bounds[1]),
            )
            if not await self._budget.reserve(bounds[0]):
                return
            # What earlier starts have paid for is spent already.
            pending_usd = self._pending_usd.pop(request_id, 0.0)
            paid_usd, retries = 0.0, 0

            async def afford(usd: float = bounds[1]) -> bool:
                nonlocal retries
                is_there = await self._budget.reserve(usd, can_wait=False)
                retries += is_there
                self._is_short |= not is_there
                return is_there

            try:
                outcome = await self._send(request_id, request, context, afford)
                paid_usd = max(0.0, outcome.usd_at_most(*bounds) - pending_usd)
            except Stopped:
                return
            except BaseException:
                # What is under way when the run is stopped may be paid for.
                if request_id in self._under_way and bounds[0]:
                    paid_usd = bounds[0] + retries * bounds[1]
                    self._journal.append_now(given_up_line(request_id, paid_usd))
                raise
            finally:
                self._under_way.discard(request_id)
                self._budget.settle(bounds[0], paid_usd)
                for _ in range(retries):
                    self._budget.settle(bounds[1], 0.0)
            most_usd = None if self._terms.budget_usd is None else outcome.usd_at_most(*bounds)
            await self._keep(request_id, request, outcome, context, most_usd)

    async def _keep_step(self, request_id: str, usd: float, step: Mapping[str, Any]) -> None:
        unknown = step.get("cost_usd") is None and self._terms.budget_usd is not None
        bound = {"usd_at_most": usd} if unknown else {}
        await self._journal.append(step_line(request_id, {**step, **bound}))

    async def _send(
        self,
        request_id: str,
        request: Request,
        context: Context | None,
        afford: Afford,
    ) -> Outcome:
        """Return the outcome of a request; raises Stopped if a stop came before it was sent."""
        unsent = self._terms.unsent(request, context)
        if unsent is not None:
            return Outcome(unsent)
        tokens = sum(map(estimated, (request.sent, *request.note_prompts)))

        async def attempt(steps: Sequence[Mapping[str, Any]]) -> Reply:
            self._under_way.add(request_id)
            again = replace(request, finished_steps=tuple(steps)) if steps else request
            return await self._plan.judge.ask(again)

        return await self._sender.send(attempt, tokens, afford)

    async def _ask_together(self) -> None:
        judge = cast("BulkJudge", self._plan.judge)
        began = time.monotonic()
        counted: dict[str, Context | None] = {}
        for request_id, request in Missing(self._plan.requests, self.held).items():
            context = counted[request_id] = self._terms.context(request)
            unsent = self._terms.unsent(request, context)
            if unsent is not None:
                await self._keep(request_id, request, Outcome(unsent), context)
        missing = Missing(self._plan.requests, self.held)
        async for request_id, reply in judge.ask_many(missing, self):
            took_s = time.monotonic() - began
            outcome = Outcome(reply, int(reply.is_sent), took_s)
            request = self._plan.requests[request_id]
            await self._keep(request_id, request, outcome, counted.get(request_id))

    def read(self) -> Sequence[Mapping[str, Any]]:
        """Return what a bulk judge has noted in this journal, oldest first."""
        return tuple(self._notes)

    async def write(self, note: Mapping[str, Any]) -> None:
        """Note a line for a bulk judge; returns once the disk has it."""
        await self._journal.append({**note, "kind": "batch"})
        self._notes.append(note)

    async def _keep(
        self,
        request_id: str,
        request: Request,
        outcome: Outcome,
        context: Context | None,
        usd_at_most: float | None = None,
    ) -> None:
        reply = outcome.reply
        line = answer_line(
            request_id,
            request,
            reply,
            outcome.latency_s,
            outcome.attempts,
            context,
            outcome.retried,
            usd_at_most,
        )
        if reply.error_kind is None or reply.error_kind in FINAL_KINDS:
            self.held.add(request_id)
        if reply.error_kind is not None:
            self.failed += 1
        await self._journal.append(line)
        self._tally.add_new(line, self._terms.spec)
