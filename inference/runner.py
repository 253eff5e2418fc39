"""Runs an experiment with a judge: asks what is not answered yet, and journals every answer.

One run, and one journal, per experiment, judge and items file. It may be stopped anywhere and
started again: what the journal holds is not asked again, nor is what another run of the same judge
has an answer to. Failed requests are journalled with the kind of failure, and the next start asks
them again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.errors import JournalWriteFailed, RunInterrupted
from inference.experiments import Experiment
from inference.history import check_settings, own_answers, reusable_answers
from inference.items import ItemSource
from inference.journal import Journal
from inference.lines import answer_line, utc_now
from inference.plan import PlannedRun, plan_runs
from inference.registry import JudgeSpec
from inference.stopping import StopSignals
from inference.tally import Progress, Tally

# Requests in flight are paid for: they get this long to come in after a stop was asked for.
GRACE_S = 3.0


@dataclass(frozen=True)
class RunSummary:
    """What a call of `run` did, over all its data sets.

    Attributes:
        run_ids: The runs, one per data set.
        status: `complete` (every planned request has an answer), `partial` or `failed` (none has).
        requests: Requests planned.
        answered: Requests the judge answered now.
        reused: Answers copied from other runs of the same judge.
        already_answered: Answers the runs had from earlier starts.
        errors: Requests that failed now, by kind.
        unparsed: Answers without a readable score, old ones included, by reason.
        corrupt_lines: Damaged journal lines met; what they held was asked again.
        cost_usd: Cost of the new answers; None when no price is known.
        seconds: Wall time.
    """

    run_ids: tuple[str, ...]
    status: str
    requests: int
    answered: int
    reused: int
    already_answered: int
    errors: Mapping[str, int]
    unparsed: Mapping[str, int]
    corrupt_lines: int
    cost_usd: float | None
    seconds: float


def run(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    journal_root: Path,
    prompts_folder: Path | None = None,
    limit: int | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    environ: Mapping[str, str] | None = None,
) -> RunSummary:
    """Run an experiment with a judge over data sets, going on where an earlier call stopped.

    Args:
        experiment: What to ask.
        spec: The judge.
        sources: The items, a data set each.
        journal_root: The folder of all runs.
        prompts_folder: The user's own prompts.
        limit: Ask about this many items at most, over all data sets together.
        progress: Told the counts after every request; must return quickly.
        environ: Where the judge reads its key; the process's environment unless given.

    Raises:
        BadSettings: The judge ran before with other settings, or the limit is below 1.
        BadItems: The items do not fit the experiment, or cannot be read.
        BadTemplate: The prompt cannot be used.
        MissingKey: The judge needs a key that is not set. Nothing was written.
        RunBusy: Another process is at this run.
        JudgeUnavailable: The endpoint kept refusing. The journal is kept.
        RunInterrupted: A signal came. The journal is kept; call again to go on.
    """
    started = time.monotonic()
    check_settings(journal_root, spec)
    plans = plan_runs(
        experiment, spec, sources, prompts_folder=prompts_folder, limit=limit, environ=environ
    )
    tally = Tally(sum(len(plan.requests) for plan in plans), progress)
    with StopSignals() as stop:
        outcomes = asyncio.run(_run_all(plans, spec, journal_root, tally, stop))
    statuses = {outcome.status for outcome in outcomes}
    if "interrupted" in statuses:
        done = tally.answered + tally.reused + tally.already
        raise RunInterrupted(
            f"runner: stopped by a signal with {done} of {sum(len(p.requests) for p in plans)} "
            "requests answered; every answer is kept, run the same command again to go on"
        )
    return RunSummary(
        run_ids=tuple(plan.run_id for plan in plans),
        status=statuses.pop() if len(statuses) == 1 else "partial",
        requests=sum(len(plan.requests) for plan in plans),
        answered=tally.answered,
        reused=tally.reused,
        already_answered=tally.already,
        errors=dict(sorted(tally.errors.items())),
        unparsed=dict(sorted(tally.unparsed.items())),
        corrupt_lines=sum(outcome.corrupt_lines for outcome in outcomes),
        cost_usd=tally.cost_usd,
        seconds=time.monotonic() - started,
    )


@dataclass(frozen=True)
class _Outcome:
    status: str
    corrupt_lines: int


async def _run_all(
    plans: Sequence[PlannedRun],
    spec: JudgeSpec,
    journal_root: Path,
    tally: Tally,
    stop: StopSignals,
) -> list[_Outcome]:
    return [await _Run(plan, spec, journal_root, tally, stop).run() for plan in plans]


class _Run:
    """One planned run on its way."""

    def __init__(
        self,
        plan: PlannedRun,
        spec: JudgeSpec,
        journal_root: Path,
        tally: Tally,
        stop: StopSignals,
    ) -> None:
        self._plan = plan
        self._spec = spec
        self._journal_root = journal_root
        self._tally = tally
        self._stop = stop
        self._held: set[str] = set()
        self._failed = 0

    async def run(self) -> _Outcome:
        folder = self._journal_root / self._plan.run_id
        if self._stop.requested:
            return _Outcome("interrupted", 0)
        own = own_answers(folder)
        missing = self._plan.requests.keys() - own.answers.keys()
        if not missing and own.status == "complete":
            for request_id in self._plan.requests:
                self._tally.add_already(own.answers[request_id])
            return _Outcome("complete", own.corrupt_lines)
        reusable = reusable_answers(
            self._journal_root, self._plan.run_id, self._spec.judge_id, missing
        )
        async with AsyncExitStack() as stack:
            if missing - reusable.keys():
                # Before the journal: a run that cannot begin leaves nothing behind.
                await stack.enter_async_context(self._plan.judge)
            journal = stack.enter_context(Journal.open(folder))
            journal.append_now({"kind": "run", **self._plan.header, "started_at": utc_now()})
            try:
                # Read again: another process may have gone on before the journal was ours.
                own = own_answers(folder)
                await self._take_over(journal, own.answers, reusable)
                await self._ask(journal)
            except JournalWriteFailed:
                raise
            except BaseException as error:
                self._end(journal, "failed" if isinstance(error, Exception) else "interrupted")
                raise
            status = self._status()
            self._end(journal, status)
        return _Outcome(status, own.corrupt_lines)

    async def _take_over(
        self,
        journal: Journal,
        own: Mapping[str, Mapping[str, Any]],
        reusable: Mapping[str, tuple[str, Mapping[str, Any]]],
    ) -> None:
        copied: list[Mapping[str, Any]] = []
        for request_id in self._plan.requests:
            if request_id in own:
                self._held.add(request_id)
                self._tally.add_already(own[request_id])
            elif request_id in reusable:
                self._held.add(request_id)
                run_id, line = reusable[request_id]
                copied.append({**line, "reused_from": line.get("reused_from", run_id)})
        await asyncio.gather(*(journal.append(line) for line in copied))
        for line in copied:
            self._tally.add_reused(line)

    async def _ask(self, journal: Journal) -> None:
        waiting = iter([pair for pair in self._plan.requests.items() if pair[0] not in self._held])
        missing = len(self._plan.requests) - len(self._held)

        async def work() -> None:
            for request_id, request in waiting:
                if self._stop.requested:
                    return
                began = time.perf_counter()
                reply = await self._plan.judge.ask(request)
                line = answer_line(request_id, request, reply, time.perf_counter() - began)
                if reply.error_kind is None:
                    self._held.add(request_id)
                else:
                    self._failed += 1
                await journal.append(line)
                self._tally.add_new(line, self._spec)

        async def work_together() -> None:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._plan.judge.concurrency, missing)):
                    group.create_task(work())

        working = asyncio.create_task(work_together())
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

    def _status(self) -> str:
        if len(self._held) == len(self._plan.requests):
            return "complete"
        if self._stop.requested:
            return "interrupted"
        return "partial" if self._held else "failed"

    def _end(self, journal: Journal, status: str) -> None:
        journal.append_now(
            {
                "kind": "end",
                "status": status,
                "answered": len(self._held),
                "failed": self._failed,
                "ended_at": utc_now(),
            }
        )
