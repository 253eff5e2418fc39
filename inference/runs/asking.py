"""Asking a judge what is missing: paced, tried again where that helps, within time and money.

The turn at the endpoint ends with the reply; the answer then waits for the disk while the next
request is on its way.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

from inference.errors import UNBILLED_KINDS, BadSettings
from inference.experiments import Experiment
from inference.journal import Journal
from inference.judges.base import FINAL_KINDS, TRANSIENT_KINDS, BulkJudge, Reply, Request
from inference.kinds import KIND
from inference.plan import PlannedRun
from inference.prices import Price, window_of
from inference.registry import JudgeSpec
from inference.runs.history import OwnAnswers
from inference.runs.limits import Budget, Pace, backoff_s
from inference.runs.lines import answer_line, step_line
from inference.runs.rates import shared_rates
from inference.runs.requests import Missing
from inference.runs.stopping import StopSignals
from inference.tally import Tally
from inference.tokens import Context, TokenCounter, at_least, at_most, estimated, token_counter

# Requests in flight are paid for: they get this long to come in after a stop was asked for.
GRACE_S = 3.0
# A refused request costs nothing; whether one that broke off was paid for, nobody knows, and some
# endpoints bill a prompt that their filter has read.
_DOUBTFUL_KINDS = frozenset({"connection", "empty_choices", "filtered", "malformed", "timeout"})


@dataclass(frozen=True)
class Terms:
    """On which terms a judge is asked.

    Attributes:
        spec: The judge.
        price: What its tokens cost; None where nobody knows.
        budget_usd: What the runs may cost; None for no limit.
        deadline_s: How long one message may take, waits and retries included. A request is one
            message, but a transcript, a ruling from notes and a search are several.
        max_retries: How often a message is tried again.
        context_window: The most tokens of prompt and answer together; None where nobody knows.
        counter: Counts prompts that may be longer than the window; None where they are not counted.
    """

    spec: JudgeSpec
    price: Price | None
    budget_usd: float | None
    deadline_s: float
    max_retries: int
    context_window: int | None
    counter: TokenCounter | None = None

    @classmethod
    def of(
        cls,
        spec: JudgeSpec,
        price: Price | None,
        budget_usd: float | None,
        counter: TokenCounter | None = None,
    ) -> Terms:
        """Return the terms a judge's settings set.

        Args:
            spec: The judge.
            price: What its tokens cost; None where nobody knows.
            budget_usd: What the runs may cost; None for no limit.
            counter: Counts prompts that may be longer than the window.

        Raises:
            BadSettings: There is a budget, and the judge's price is not known, or there is no bound
                on what one answer costs.
        """
        is_paid = "api_key_env" in spec.settings
        if budget_usd is not None and is_paid and price is None:
            raise BadSettings(
                f"runner: no price is known for '{spec.judge_id}', so a budget cannot be kept; "
                f'add [{spec.provider}."{spec.model}"] to prices.toml in your home, or set the '
                "judge's usd_per_million_tokens_in and usd_per_million_tokens_out"
            )
        if budget_usd is not None and spec.rules.is_bulk:
            raise BadSettings(
                "runner: a batch is paid for as a whole, so a budget cannot stop it half-way; "
                "leave the budget out and limit the items (--limit), or use the same model without "
                "batch/"
            )
        settings = spec.settings
        return cls(
            spec=spec,
            price=price,
            budget_usd=budget_usd,
            deadline_s=float(settings.get("deadline_s", float("inf"))),
            max_retries=int(settings.get("max_retries", 0)),
            context_window=window_of(spec, price),
            counter=counter,
        )

    def most_usd(self, request: Request) -> float:
        """Return the most that one request can cost."""
        if self.price is None:
            return 0.0
        # The bound on tokens may lie over the longest prompt the price holds for; the prompt's own
        # count rarely does.
        price = replace(self.price, tokens_in_at_most=None)
        tokens_in, tokens_out = request.kind.most_tokens(
            request, at_most(self._sent(request)), self.most_tokens_out(request)
        )
        if request.note_prompts:
            system = self._sent(replace(request, prompt=""))
            # Each note is written, and then read.
            tokens_in += sum(at_most(system + prompt) for prompt in request.note_prompts)
            tokens_in += len(request.note_prompts) * tokens_out
            tokens_out *= len(request.note_prompts) + 1
        return price.cost(tokens_in, tokens_out) or 0.0

    def most_tokens_out(self, request: Request) -> int:
        """Return how long an answer may be; 0 for judges that write none."""
        if not self.spec.rules.is_model or not request.kind.asks_text:
            return 0
        most = self.spec.settings.get("max_tokens", request.decoding.get("max_tokens", 0))
        return int(most)

    def context(self, request: Request) -> Context | None:
        """Return how long the prompt is that shows a whole debate; None where that is not asked.

        A judge on this machine counts for itself, and says so with its reply.
        """
        if self.counter is None or not request.kind.is_counted(request):
            return None
        return Context(self.counter.count(request.prompt, request.system), self.counter.is_exact)

    def unsent(self, request: Request, context: Context | None = None) -> Reply | None:
        """Return the failure of a request that need not be sent to be known to fail.

        That is a prompt which is certainly over the judge's window; an answer to score that has no
        text, of which the best judge could only invent something; and an answer to compare with
        points of view that nobody wrote.

        Args:
            request: The request.
            context: How long its prompt is, as `context` has it.
        """
        if (known := request.kind.unsent(request)) is not None:
            kind, words = known
            return Reply(error_kind=kind, error=words, cost_usd=0.0)
        window = self.context_window
        if window is None:
            return None
        if context is not None and context.is_exact:
            answer = self.most_tokens_out(request)
            if context.tokens + answer <= window:
                return None
            words = (
                f"the prompt has {context.tokens:,} tokens and the answer may have {answer:,}, and "
                f"the judge's window is {window:,}; it was not sent"
            )
            return Reply(error_kind="context_overflow", error=words, cost_usd=0.0)
        least = max(map(at_least, (self._sent(request), *request.note_prompts)))
        if least <= window:
            return None
        words = (
            f"the prompt has {len(request.sent):,} characters, at least {least:,} tokens, and "
            f"the judge's window is {window:,}; it was not sent"
        )
        return Reply(error_kind="context_overflow", error=words, cost_usd=0.0)

    def _sent(self, request: Request) -> str:
        return str(self.spec.settings.get("system_prompt", "")) + request.sent


def counter_of(experiment: Experiment, spec: JudgeSpec) -> TokenCounter | None:
    """Return what counts prompts before they are sent; None where nothing does.

    Only those about parliamentary debates are so long that it matters. A judge on this machine
    counts each prompt anyway.
    """
    if not KIND[experiment.kind].counts_prompts or spec.rules.is_here:
        return None
    return token_counter(spec)


class _Asked(NamedTuple):
    """What became of a request: the last reply, how often it was sent, and for how long.

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

    Attributes:
        held: Requests that need not be asked again.
        failed: Requests that failed in this start.
    """

    def __init__(
        self,
        plan: PlannedRun,
        terms: Terms,
        budget: Budget,
        journal: Journal,
        tally: Tally,
        stop: StopSignals,
        own: OwnAnswers,
        pace: Pace | None = None,
    ) -> None:
        self._plan = plan
        self._terms = terms
        self._budget = budget
        self._journal = journal
        self._tally = tally
        self._stop = stop
        self._notes: list[Mapping[str, Any]] = list(own.notes)
        self._steps = own.steps
        self._pending_usd = dict(own.pending_usd)
        self._pace = pace or Pace(
            plan.judge.concurrency, terms.spec.settings, shared=shared_rates(terms.spec)
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
        """Return what became of a request; None where a stop came before it was sent."""
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
