"""What a worker does: the requests of one shard, with the engine of a run in one process."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from inference.errors import BadItems
from inference.experiment import Experiment
from inference.items import ItemSource
from inference.plan import RunOptions, plan_runs
from inference.prices import load_prices
from inference.registry import JudgeSpec
from inference.runs.asking import Asking, Start
from inference.runs.history import OwnAnswers
from inference.runs.stopping import StopSignals
from inference.runs.terms import Terms, counter_of
from inference.shards.holder import Link, WorkerBudget, WorkerPace, WorkerTally
from inference.shards.lease import Lease, Place
from inference.shards.places import place_at


@dataclass(frozen=True)
class Ordered:
    """What all workers of a call of `run` are told: enough to plan it again, and no key.

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
    """What one worker is told.

    Attributes:
        ordered: What is asked of whom.
        run_id: Which of the planned runs.
        where: Where the journals of its shards lie.
        epoch: Its epoch, which is this worker's alone.
        lease_s: How long a renewal of its lease holds.
        request_ids: What to ask.
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
    def who(self) -> str:
        """The worker, and the part of the run's journal that it writes."""
        return f"{self.shard}/{self.epoch}"


async def work_on(work: Work, link: Link, stop: StopSignals) -> None:
    """Ask what a worker is told to.

    Raises:
        BadItems: The items are not those the run was planned with.
        InferenceError: What else can end a run; every answer written down before is kept.
    """
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
    counter = counter_of(ordered.experiment, ordered.spec)
    terms = Terms.of(ordered.spec, price, ordered.budget_usd, counter)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(plan.judge)
        journal = stack.enter_context(place.journal(lease))
        budget, tally = WorkerBudget(link, ordered.budget_usd), WorkerTally(link)
        pace = WorkerPace(link, lease)
        start = Start(plan, terms, budget, journal, tally, stop, work.own)
        asking = Asking(start, pace)
        asking.hold(each for each in plan.requests if each not in wanted)
        await asking.ask_all()
