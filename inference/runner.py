"""Runs an experiment with a judge: asks what is not answered yet, and journals every answer.

One run, and one journal, per experiment, judge and items file. It may be stopped anywhere and
started again: what the journal holds is not asked again, nor is what another run of the same judge
has an answer to. What may pass is tried again at once, as the judge's pace allows; failed requests
are journalled with the kind of failure, and the next start asks them again, unless they would fail
the same way for ever.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Unpack

from inference.errors import JournalWriteFailed, RunInterrupted
from inference.experiment import Experiment
from inference.items import ItemSource
from inference.journal import Journal, read_at
from inference.plan import PlannedRun, RunOptions, plan_runs
from inference.prices import Spent, load_prices
from inference.registry import JudgeSpec
from inference.runs.asking import Asking, Start
from inference.runs.history import (
    OwnAnswers,
    Recorded,
    check_settings,
    own_answers,
    reusable_answers,
)
from inference.runs.limits import Budget
from inference.runs.lines import timestamp
from inference.runs.stopping import StopSignals
from inference.runs.terms import Terms, counter_of
from inference.shards.asking import AskingInShards, Shards
from inference.shards.lease import LEASE_S, Lease
from inference.shards.places import VARIABLE, place_at, run_held, where_for
from inference.shards.worker import Ordered
from inference.tally import Progress, Tally

# Copied answers wait for the disk together, so many at a time.
_COPIES = 1000


@dataclass(frozen=True)
class RunSummary:
    """What a call of `run` did, over all its data sets.

    Attributes:
        status: `complete` (every planned request has an answer or a failure that stands),
            `over_budget` (stopped before passing the budget), `partial` or `failed` (no request has
            an answer).
        reused: Answers copied from other runs of the same judge.
        errors: Requests that failed, now or for good, by kind.
        unparsed: Answers without a readable score, old ones included, by reason.
        corrupt_lines: Damaged journal lines met; what they held was asked again.
        tokens_in: Of the prompts answered now, as far as the judge says.
        tokens_cached: Those of them the endpoint had in its cache.
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
    tokens_in: int
    tokens_cached: int
    tokens_out: int
    spent: Spent
    seconds: float

    @property
    def cost_usd(self) -> float | None:
        """The cost of the requests sent now; None where that of any is unknown."""
        return self.spent.usd


def run(
    experiment: Experiment,
    spec: JudgeSpec,
    sources: Sequence[ItemSource],
    *,
    journal_root: Path,
    budget_usd: float | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    shards: Shards | None = None,
    **options: Unpack[RunOptions],
) -> RunSummary:
    """Run an experiment with a judge over data sets, going on where an earlier call stopped.

    Args:
        budget_usd: Stop before the runs have cost more than this, over all their starts.

    Raises:
        BadSettings: The judge ran before with other settings, the limit is below 1, or there is a
            budget and no price.
        BadItems: The items do not fit the experiment, or cannot be read; or documents are to be
            shown and there are none.
        BadTemplate: The prompt cannot be used.
        MissingKey: The judge needs a key that is not set. Nothing was written, unless workers were
            to read it.
        RunBusy: Another process is at this run.
        StoreUnavailable: The store that ROSTRUM_JOURNALS names cannot be used.
        WorkersUnavailable: Workers cannot be started, or die before they have answered.
        JudgeUnavailable: The endpoint kept refusing. The journal is kept.
        RunInterrupted: A signal came. The journal is kept; call again to go on.
    """
    started = time.monotonic()
    check_settings(journal_root, spec)
    options["prices"] = prices = options.get("prices") or load_prices()
    plans = plan_runs(experiment, spec, sources, journal_root=journal_root, **options)
    terms = Terms.of(spec, prices.price_for(spec), budget_usd, counter_of(spec, plans))
    for plan in plans:
        for other in getattr(plan.judge, "others", ()):
            check_settings(journal_root, other)
    total = sum(len(plan.requests) for plan in plans)
    tally = Tally(total, progress)
    split = None
    if shards is not None:
        shards.check(spec)
        split = Split(shards, Ordered(experiment, spec, tuple(sources), options, budget_usd))
    with StopSignals() as stop:
        outcomes = asyncio.run(_run_all(plans, spec, terms, journal_root, tally, stop, split))
    statuses = {outcome.status for outcome in outcomes}
    if "interrupted" in statuses:
        done = tally.answered + tally.reused + tally.already
        raise RunInterrupted(
            f"runner: stopped by a signal with {done} of {total} "
            "requests answered; every answer is kept, run the same command again to go on"
        )
    return RunSummary(
        run_ids=tuple(plan.run_id for plan in plans),
        status=_overall(statuses),
        requests=total,
        answered=tally.answered,
        reused=tally.reused,
        already_answered=tally.already,
        errors=dict(sorted(tally.errors.items())),
        unparsed=dict(sorted(tally.unparsed.items())),
        corrupt_lines=sum(outcome.corrupt_lines for outcome in outcomes),
        tokens_in=tally.tokens["tokens_in"],
        tokens_cached=tally.tokens["tokens_cached"],
        tokens_out=tally.tokens["tokens_out"],
        spent=tally.spent,
        seconds=time.monotonic() - started,
    )


class Split(NamedTuple):
    """How a run is split, and what workers are told of it."""

    shards: Shards
    ordered: Ordered


async def run_planned(
    plan: PlannedRun,
    spec: JudgeSpec,
    terms: Terms,
    budget: Budget,
    journal_root: Path,
    tally: Tally,
    stop: StopSignals,
) -> str:
    """Execute one planned run, and return its status."""
    return (await _Run(plan, spec, terms, budget, journal_root, tally, stop, None).run()).status


@dataclass(frozen=True)
class _Outcome:
    status: str
    corrupt_lines: int


def _overall(statuses: set[str]) -> str:
    if len(statuses) == 1:
        return next(iter(statuses))
    return "over_budget" if "over_budget" in statuses else "partial"


async def _run_all(
    plans: Sequence[PlannedRun],
    spec: JudgeSpec,
    terms: Terms,
    journal_root: Path,
    tally: Tally,
    stop: StopSignals,
    split: Split | None,
) -> list[_Outcome]:
    spent = 0.0
    if terms.budget_usd is not None:
        spent = sum(
            terms.charged_usd(plan.judge, plan.requests, own_answers(journal_root / plan.run_id))
            for plan in plans
        )
    budget = Budget(terms.budget_usd, spent)
    return [
        await _Run(plan, spec, terms, budget, journal_root, tally, stop, split).run()
        for plan in plans
    ]


class _Run:
    """Executes one planned run."""

    def __init__(
        self,
        plan: PlannedRun,
        spec: JudgeSpec,
        terms: Terms,
        budget: Budget,
        journal_root: Path,
        tally: Tally,
        stop: StopSignals,
        split: Split | None,
    ) -> None:
        self._plan = plan
        self._spec = spec
        self._terms = terms
        self._budget = budget
        self._journal_root = journal_root
        self._tally = tally
        self._stop = stop
        self._split = split
        self._where = where_for(journal_root, plan.run_id, os.environ.get(VARIABLE))

    async def run(self) -> _Outcome:
        folder = self._journal_root / self._plan.run_id
        if self._stop.requested:
            return _Outcome("interrupted", 0)
        own = own_answers(folder)
        missing = {request_id for request_id in self._plan.requests if request_id not in own}
        if not missing and own.status == "complete":
            self._count_held(own)
            return _Outcome("complete", own.corrupt_lines)
        reusable: Mapping[str, Recorded] = {}
        if not self._plan.is_fresh:
            reusable = reusable_answers(
                self._journal_root, self._plan.run_id, self._spec.judge_id, missing
            )
        async with AsyncExitStack() as stack:
            if missing - reusable.keys() and self._split is None:
                # Before the journal: a run that cannot begin leaves nothing behind.
                await stack.enter_async_context(self._plan.judge)
            journal = stack.enter_context(Journal.open(folder))
            place, lease = place_at(self._where), None
            if self._split is not None or place.exists():
                lease_s = self._split.shards.lease_s if self._split else LEASE_S
                lease = await stack.enter_async_context(run_held(place, journal, lease_s))
            journal.append_now({"kind": "run", **self._plan.header, "started_at": timestamp()})
            # Read again: another process may have gone on before the journal was ours.
            before, own = own, own_answers(folder)
            charged, charged_before = (
                self._terms.charged_usd(self._plan.judge, self._plan.requests, each)
                for each in (own, before)
            )
            self._budget.settle(0.0, charged - charged_before)
            asking = self._asking(journal, own, lease)
            try:
                self._count_held(own)
                asking.hold(each for each in self._plan.requests if each in own)
                asking.hold(await self._take_over(journal, own, reusable))
                await asking.ask_all()
            except JournalWriteFailed:
                raise
            except BaseException as error:
                _end(journal, asking, "failed" if isinstance(error, Exception) else "interrupted")
                raise
            has_answers = bool(asking.held - own.failures.keys())
            status = asking.status(has_answers=has_answers)
            _end(journal, asking, status)
        return _Outcome(status, own.corrupt_lines)

    def _asking(self, journal: Journal, own: OwnAnswers, lease: Lease | None) -> Asking:
        start = Start(self._plan, self._terms, self._budget, journal, self._tally, self._stop, own)
        if self._split is None or lease is None:
            return Asking(start)
        shards, ordered = self._split.shards, self._split.ordered
        return AskingInShards(start, shards=shards, ordered=ordered, where=self._where, lease=lease)

    def _count_held(self, own: OwnAnswers) -> None:
        self._tally.add_held(self._plan.requests, own.answers, own.failures)
        if own.answers or own.failures:
            self._tally.tell()

    async def _take_over(
        self, journal: Journal, own: OwnAnswers, reusable: Mapping[str, Recorded]
    ) -> set[str]:
        wanted = [each for each in self._plan.requests if each in reusable and each not in own]
        for start in range(0, len(wanted), _COPIES):
            lines = []
            for request_id in wanted[start : start + _COPIES]:
                found = reusable[request_id]
                with found.path.open("rb") as file:
                    line = read_at(file, found.place)
                lines.append({**line, "reused_from": line.get("reused_from", found.run_id)})
            await asyncio.gather(*(journal.append(line) for line in lines))
            for line in lines:
                self._tally.add_reused(line)
        return set(wanted)


def _end(journal: Journal, asking: Asking, status: str) -> None:
    journal.append_now(
        {
            "kind": "end",
            "status": status,
            "answered": len(asking.held),
            "failed": asking.failed,
            "ended_at": timestamp(),
        }
    )
