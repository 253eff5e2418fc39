"""A worker of one shard, and the holder of permits and money for all workers of a run.

A provider's limits hold for all shards together. The holder is the `Pace` and the `Budget` of a run
in one process; a worker's pace and budget ask it. The requests of a dead worker count as paid.
"""

import asyncio
import inspect
import time
from collections import defaultdict
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Protocol

from inference.errors import BadItems, LeaseLost
from inference.experiment import Experiment
from inference.items import ItemSource
from inference.judges.base import Reply
from inference.plan import RunOptions, plan_runs
from inference.prices import load_prices
from inference.registry import JudgeSpec
from inference.runs.asking import Asking, Start
from inference.runs.history import OwnAnswers
from inference.runs.limits import Budget, Pace, Shared
from inference.runs.stopping import StopSignals
from inference.runs.terms import Terms, counter_of
from inference.shards.lease import Lease, Place
from inference.shards.places import place_at
from inference.tally import Tally


class Link(Protocol):
    """A worker's connection to the holder."""

    def call(self, name: str, *given: Any) -> Awaitable[Any]:
        """Ask for something, and wait for it."""

    def send(self, name: str, *given: Any) -> None:
        """Say something, without waiting."""


class Holder:
    """Gives out permits and money, and gathers what workers have answered.

    Args:
        shared: What other runs take from the same rates, too.
    """

    def __init__(
        self,
        budget: Budget,
        concurrency: int,
        settings: Mapping[str, Any],
        shared: Shared | None = None,
    ) -> None:
        self._budget = budget
        self._pace = Pace(concurrency, settings, shared=shared)
        # By worker, what it has under way: tokens expected, and money set aside.
        self._turns: defaultdict[str, list[int]] = defaultdict(list)
        self._reserved: defaultdict[str, list[float]] = defaultdict(list)
        self._dropped: set[str] = set()
        self._reports: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def call(self, name: str, *given: Any) -> Any:
        """Call a method by its name, as workers do."""
        found = getattr(self, name)(*given)
        return await found if inspect.isawaitable(found) else found

    async def start(self, who: str, tokens: int) -> None:
        """Wait for a worker's turn."""
        self._check(who)
        began = await self._pace.start(tokens)
        if who in self._dropped:
            self._pace.end(began, None, tokens)
            self._check(who)
        self._turns[who].append(tokens)

    def end(self, who: str, seconds: float, reply: Reply | None, tokens: int) -> None:
        """Take a turn back; one that is another worker's by now has been taken."""
        if tokens in self._turns[who]:
            self._turns[who].remove(tokens)
            self._pace.end(time.monotonic() - seconds, reply, tokens)

    async def reserve(self, who: str, most_usd: float, can_wait: bool = True) -> bool:
        """Set money aside for a worker's request; False where that could pass the limit."""
        self._check(who)
        if not await self._budget.reserve(most_usd, can_wait=can_wait):
            return False
        if who in self._dropped:
            self._budget.settle(most_usd, 0.0)
            self._check(who)
        self._reserved[who].append(most_usd)
        return True

    def settle(self, who: str, reserved_usd: float, cost_usd: float) -> None:
        """Replace what was set aside by what it cost."""
        if reserved_usd in self._reserved[who]:
            self._reserved[who].remove(reserved_usd)
            self._budget.settle(reserved_usd, cost_usd)

    def report(self, who: str, line: dict[str, Any]) -> None:
        """Note a line that a worker's journal has."""
        if who not in self._dropped:
            self._reports.put_nowait((who, line))

    async def reports(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the lines since the last call, each with its worker; waits for the first."""
        found = [await self._reports.get()]
        while not self._reports.empty():
            found.append(self._reports.get_nowait())
        return found

    def drop(self, who: str) -> None:
        """Take back what a worker has that is gone; it gets nothing any more."""
        self._dropped.add(who)
        for tokens in self._turns.pop(who, ()):
            self._pace.end(time.monotonic(), None, tokens)
        for most_usd in self._reserved.pop(who, ()):
            self._budget.settle(most_usd, most_usd)

    def budget_state(self) -> tuple[float, bool]:
        """Return the dollars spent, and whether a request was held back."""
        return self._budget.state

    def _check(self, who: str) -> None:
        if who in self._dropped:
            raise LeaseLost(f"shards: worker {who} was taken for dead, and its shard goes on")


class WorkerPace(Pace):
    """A worker's turns, which the holder gives."""

    def __init__(self, link: Link, lease: Lease) -> None:
        self._link, self._lease = link, lease

    async def start(self, tokens: int) -> float:
        """Wait for a turn, and return the time it began."""
        await self._link.call("start", tokens)
        # The turn may lie here since before the process was stopped.
        self._lease.check()
        return time.monotonic()

    def end(self, started_at: float, reply: Reply | None, tokens: int) -> None:
        """Give the turn back, with what is to be learnt from it."""
        seen = reply and Reply(
            error_kind=reply.error_kind,
            retry_after_s=reply.retry_after_s,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
        )
        self._link.send("end", time.monotonic() - started_at, seen, tokens)


class WorkerBudget(Budget):
    """A worker's money, which the holder sets aside."""

    def __init__(self, link: Link, limit_usd: float | None) -> None:
        super().__init__(limit_usd)
        self._link = link

    async def reserve(self, most_usd: float, *, can_wait: bool = True) -> bool:
        """Set the most that a request can cost aside; False where that could pass the limit."""
        if self._limit is None:
            return True
        is_there = bool(await self._link.call("reserve", most_usd, can_wait))
        self.is_exhausted |= can_wait and not is_there
        return is_there

    def settle(self, reserved_usd: float, cost_usd: float) -> None:
        """Replace what was set aside by what it cost."""
        if self._limit is not None:
            self._link.send("settle", reserved_usd, cost_usd)


class WorkerTally(Tally):
    """A worker's counts, which are kept where the run was started."""

    def __init__(self, link: Link) -> None:
        super().__init__(0, lambda _: None)
        self._link = link

    def add_new(self, line: Mapping[str, Any], spec: JudgeSpec) -> None:
        """Hand on what the judge just brought."""
        del spec
        self._link.send("report", dict(line))


@dataclass(frozen=True)
class Ordered:
    """The order to all workers of a call of `run`: enough to plan it again, and no key.

    Attributes:
        sources: The items; their files must be readable where the worker is.
        options: As `plan_runs` takes them.
    """

    experiment: Experiment
    spec: JudgeSpec
    sources: Sequence[ItemSource]
    options: RunOptions
    budget_usd: float | None


@dataclass(frozen=True)
class Work:
    """The order to one worker.

    Attributes:
        where: Where the journals of its shards lie.
        epoch: Its epoch, which is this worker's alone.
        lease_s: How long a renewal of its lease holds.
        own: What is known of these requests from before.
    """

    ordered: Ordered
    run_id: str
    where: str
    shard: str
    epoch: int
    lease_s: float
    request_ids: Sequence[str]
    own: OwnAnswers

    @property
    def worker(self) -> str:
        """The worker, and the part of the run's journal that it writes."""
        return f"{self.shard}/{self.epoch}"


async def work_on(work: Work, link: Link, stop: StopSignals) -> None:
    """Ask what a worker is told to."""
    place = place_at(work.where)
    # First of all: a worker that holds its lease is missed when it stops.
    with Lease(place, work.shard, work.epoch, work.lease_s) as lease:
        await _ask_all(work, link, stop, place, lease)


async def _ask_all(work: Work, link: Link, stop: StopSignals, place: Place, lease: Lease) -> None:
    ordered, options = work.ordered, work.ordered.options
    plans = plan_runs(ordered.experiment, ordered.spec, ordered.sources, **options)
    wanted = set(work.request_ids)
    plan = next((each for each in plans if wanted <= set(each.requests)), None)
    if plan is None:
        raise BadItems(
            f"shards: shard {work.shard} of '{work.run_id}' asks about items that are not here, or "
            "read otherwise; workers need the home's items files under the same path"
        )
    price = (options.get("prices") or load_prices()).price_for(ordered.spec)
    terms = Terms.of(ordered.spec, price, ordered.budget_usd, counter_of(ordered.spec, [plan]))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(plan.judge)
        journal = stack.enter_context(place.journal(lease))
        budget, tally = WorkerBudget(link, ordered.budget_usd), WorkerTally(link)
        pace = WorkerPace(link, lease)
        start = Start(plan, terms, budget, journal, tally, stop, work.own)
        asking = Asking(start, pace)
        asking.hold(each for each in plan.requests if each not in wanted)
        await asking.ask_all()
