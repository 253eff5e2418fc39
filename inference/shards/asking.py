"""Asking in shards: what is missing, split over workers, whose answers come home into one journal.

The run's own journal stays where everything reads answers. This process holds it, and the right to
run the shards; a worker that dies, or is not heard of, is followed by another that asks what is not
in its journal.
"""

import asyncio
import math
import os
import socket
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from inference.errors import (
    BadSettings,
    JournalWriteFailed,
    JudgeUnavailable,
    StoreUnavailable,
    WorkersUnavailable,
)
from inference.registry import JudgeSpec
from inference.runs.asking import GRACE_S, Asking, Start
from inference.runs.history import OwnAnswers, add_line
from inference.runs.rates import shared_rates
from inference.shards.lease import LEASE_S, Lease, take
from inference.shards.places import copied_lines, place_at
from inference.shards.processes import Processes
from inference.shards.worker import Holder, Ordered, Work

# Workers of one shard that died one after the other without an answer.
_BARREN = 3
# A process is there at once, and has this long to say that it holds its lease.
_START_S = 60.0


@dataclass(frozen=True)
class Shards:
    """The split of a run.

    Attributes:
        on: `ray`, or the address of a Ray cluster (`ray://…`); None for processes on this machine.
        lease_s: How long a worker may not be heard of before its shard is another's.
    """

    count: int
    on: str | None = None
    lease_s: float = LEASE_S

    def check(self, spec: JudgeSpec) -> None:
        """Make sure that a run can be split so."""
        if self.count < 1:
            raise BadSettings(f"shards: the number of shards is {self.count}; it must be 1 or more")
        if spec.rules.is_bulk:
            raise BadSettings(
                "shards: a batch is sent as a whole, so there is nothing to split; leave --shards "
                "out, or use the same model without batch/"
            )
        if self.on is not None and self.on != "ray" and not self.on.startswith("ray://"):
            raise BadSettings(
                f"shards: workers cannot run on '{self.on}'; choose ray (a cluster on this "
                "machine, or the one that RAY_ADDRESS names) or ray://HOST:PORT"
            )


def shard_of(request_id: str, count: int) -> int:
    """Return the shard of a request: the same at every start."""
    return int(request_id[:15], 16) % count


class Executor(Protocol):
    """Runs workers. A context manager, which leaves none behind.

    Attributes:
        may_queue: Whether a worker may wait, for as long as it likes, for a place to run.
    """

    may_queue: bool

    async def __aenter__(self) -> Self:
        """Make it ready."""

    async def __aexit__(self, *_: object) -> None:
        """End every worker."""

    async def call(self, name: str, *given: Any) -> Any:
        """Ask the holder of permits and money."""

    async def run(self, work: Work) -> None:
        """Run a worker to its end; raises what it raised, WorkersUnavailable where it died."""

    def abandon(self, who: str) -> None:
        """Let go of a worker that is taken for dead."""

    def stop(self, who: str) -> None:
        """Ask a worker to end in good order."""


class AskingInShards(Asking):
    """The requests of one run, asked by workers."""

    def __init__(
        self,
        start: Start,
        *,
        shards: Shards,
        ordered: Ordered,
        where: str,
        lease: Lease,
    ) -> None:
        super().__init__(start)
        self._own = start.own
        self._shards, self._ordered = shards, ordered
        self._where, self._place = where, place_at(where)
        self._lease = lease
        self._running: dict[asyncio.Task[None], Work] = {}
        self._barren: defaultdict[str, int] = defaultdict(int)
        # By worker the requests that are counted, and those that failed in this start.
        self._counted: defaultdict[str, set[str]] = defaultdict(set)
        self._failed: set[str] = set()
        self._refused: JudgeUnavailable | None = None
        # When each worker was first seen with its newest lease.
        self._seen: dict[str, tuple[str, float]] = {}

    async def ask_all(self) -> None:
        """Ask everything that is not held."""
        missing: defaultdict[str, list[str]] = defaultdict(list)
        for each in self._plan.requests:
            if each not in self.held:
                missing[str(shard_of(each, self._shards.count))].append(each)
        if not missing:
            return
        concurrency, spec = self._plan.judge.concurrency, self._terms.spec
        made: Executor
        if self._shards.on is None:
            shared = shared_rates(spec)
            made = Processes(Holder(self._budget, concurrency, spec.settings, shared))
        else:
            from inference.shards.on_ray import OnRay

            made = OnRay(self._shards.on, self._budget, concurrency, spec)
        async with made as executor:
            await self._supervise(executor, missing)
        if self._refused is not None:
            raise self._refused

    async def _supervise(self, executor: Executor, missing: Mapping[str, Sequence[str]]) -> None:
        counting = asyncio.create_task(self._listen(executor))
        stopping = asyncio.create_task(self._stop.wait())
        try:
            for shard, request_ids in missing.items():
                await self._start(executor, shard, request_ids)
            while self._running:
                done, _ = await asyncio.wait(
                    {*self._running, counting, stopping},
                    timeout=self._shards.lease_s / 3,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if counting in done:
                    counting.result()
                    return
                self._lease.check()
                if stopping in done:
                    return
                for task in done & self._running.keys():
                    await self._go_on(executor, task)
                for task in await self._unheard_of(executor):
                    executor.abandon(self._running[task].worker)
                    await self._go_on(executor, task)
        finally:
            stopping.cancel()
            await self._end_all(executor)
            counting.cancel()
            await asyncio.wait({counting, stopping})
            self._budget.state = await executor.call("budget_state")

    async def _start(self, executor: Executor, shard: str, request_ids: Sequence[str]) -> None:
        epoch = await asyncio.to_thread(take, self._place, shard, self._shards.lease_s)
        wanted = set(request_ids)
        steps = {each: found for each, found in self._own.steps.items() if each in wanted}
        pending = {each: usd for each, usd in self._own.pending_usd.items() if each in wanted}
        own = OwnAnswers(steps=steps, pending_usd=pending)
        run_id, lease_s = self._plan.run_id, self._shards.lease_s
        work = Work(self._ordered, run_id, self._where, shard, epoch, lease_s, request_ids, own)
        task = asyncio.create_task(executor.run(work))
        # A worker that was given up may end long after anyone asks why.
        task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        self._running[task] = work

    async def _go_on(self, executor: Executor, task: asyncio.Task[None]) -> None:
        """Bring home what a worker has left, and start another where it died."""
        work = self._running.pop(task)
        before = len(self.held)
        await self._collect(executor, work)
        error = (
            task.exception()
            if task.done()
            else WorkersUnavailable(
                f"shards: the worker of shard {work.shard} was not heard of for {work.lease_s:g} s"
            )
        )
        if error is None:
            return
        if not isinstance(error, WorkersUnavailable | JournalWriteFailed):
            raise error
        left = [each for each in work.request_ids if each not in self.held | self._failed]
        if not left:
            return
        self._barren[work.shard] = 0 if len(self.held) > before else self._barren[work.shard] + 1
        if self._barren[work.shard] >= _BARREN:
            raise WorkersUnavailable(
                f"{error}; {_BARREN} workers of this shard ended one after the other without an "
                "answer; what others answered is kept, run the same command again to go on"
            )
        await self._start(executor, work.shard, left)

    async def _collect(self, executor: Executor, work: Work) -> None:
        await executor.call("drop", work.worker)
        await asyncio.to_thread(self._place.seal, work.shard, work.epoch)
        chunks = copied_lines(self._place, work.shard, work.epoch, self._journal)
        while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
            for line in chunk:
                add_line(self._own, line)
                if line["kind"] != "answer":
                    continue
                self._count(work.worker, line)
                if line["request_id"] in self._own:
                    self.held.add(line["request_id"])
                if line["error_kind"] is not None:
                    self.failed += 1
                    self._failed.add(line["request_id"])

    def _count(self, who: str, line: dict[str, Any]) -> None:
        """Count an answer, which a worker tells of and its journal has."""
        if line["request_id"] in self._counted[who]:
            return
        self._counted[who].add(line["request_id"])
        try:
            self._tally.add_new(line, self._terms.spec)
        except JudgeUnavailable as error:
            self._refused = error

    async def _listen(self, executor: Executor) -> None:
        """Count answers as they come, until asking on is pointless."""
        while self._refused is None:
            for who, line in await executor.call("reports"):
                self._count(who, line)

    async def _unheard_of(self, executor: Executor) -> list[asyncio.Task[None]]:
        """Return the workers whose lease has run out, and those that never took it up."""
        found = []
        here = os.getpid(), socket.gethostname()
        for task, work in self._running.items():
            try:
                lease = await asyncio.to_thread(self._place.lease, work.shard, work.epoch)
            except StoreUnavailable:
                # Then no lease can be read. If it lasts, this process's own lease runs out.
                return []
            newest, since = self._seen.get(work.worker, (None, 0.0))
            if newest != lease["renewed_at"]:
                self._seen[work.worker] = lease["renewed_at"], time.monotonic()
                continue
            patience = self._shards.lease_s
            if (lease["pid"], lease["host"]) == here:
                # As this process began it; the worker has not come to it yet.
                patience = math.inf if executor.may_queue else max(patience, _START_S)
            if time.monotonic() - since > patience:
                found.append(task)
        return found

    async def _end_all(self, executor: Executor) -> None:
        """Let workers that are left end in good order, and bring home what they have answered."""
        for work in self._running.values():
            executor.stop(work.worker)
        if self._running:
            await asyncio.wait(self._running, timeout=GRACE_S + 2)
        for task, work in list(self._running.items()):
            if not task.done():
                executor.abandon(work.worker)
                task.cancel()
            await self._collect(executor, work)
        if self._running:
            await asyncio.wait(self._running)
        self._running.clear()
