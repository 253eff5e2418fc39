"""A judge that has a question debated: it writes one side, and others take the other roles.

It stands around the run's own model and opens whoever else takes part. The turns of a transcript
are steps (`transcript`) that come one after the other. Every reply is kept as it comes, so that a
transcript which breaks off goes on where it stopped (`steps.messages`).

A text that is too long, refuses or lacks its form is asked for again, three times in all. Then the
last that was only too long is cut; without one the candidate is lost. A turn without a candidate
makes the transcript void.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from inference.errors import UnknownJudge
from inference.judges.base import AroundJudge, Judge, Reply, Request
from inference.oversight.debating.bounds import ATTEMPTS, Paid, most_usd
from inference.oversight.debating.prompts import Prompts
from inference.oversight.debating.transcript import RULES, Writing
from inference.oversight.items import CONSULTANCY, SELF, DebatePlan
from inference.prices import window_of
from inference.registry import JudgeSpec, spec_for

if TYPE_CHECKING:
    from inference.experiments import Experiment
    from inference.kinds.parts import Resources

_KIND = "transcript"


class DebatingJudge(AroundJudge):
    """The judge, with those it debates with.

    Args:
        judge: The run's own model.
        own: Its definition and price.
        others: The judges that take other roles, by id.
        paid: Their definitions and prices, by id.
        prompts: The prompts besides the debater's.
    """

    def __init__(
        self,
        judge: Judge,
        own: Paid,
        others: Mapping[str, Judge],
        paid: Mapping[str, Paid],
        prompts: Prompts,
    ) -> None:
        super().__init__(judge)
        self._own = own
        self._others = others
        self._paid = paid
        self._prompts = prompts
        self._opened = AsyncExitStack()

    @property
    def others(self) -> tuple[JudgeSpec, ...]:
        """Who takes part besides the run's own model."""
        return tuple(self._paid[judge_id].spec for judge_id in sorted(self._paid))

    @property
    def concurrency(self) -> int:
        """As many as the slowest: the messages of one transcript come one after the other."""
        return min(judge.concurrency for judge in (self._judge, *self._others.values()))

    def identity(self, request: Request) -> dict[str, Any]:
        """What the judge says, who takes part with which settings, and their prompts."""
        known = self._judge.identity(request)
        if not isinstance(request.variant, DebatePlan):
            return known
        parties = {
            role: [party.spec.judge_id, party.spec.settings_hash]
            for role, party in self._parties(request.variant).items()
            if role != "own"
        }
        return {
            **known,
            "parties": parties,
            "prompts": self._prompts.used_by(request.variant),
            "rules": RULES,
            "attempts": ATTEMPTS,
        }

    def most_usd(self, request: Request) -> tuple[float, float]:
        """Return the most a transcript can cost, and the most that one message of it can.

        Raises:
            BadSettings: Somebody who takes part is paid for, and no price is known.
        """
        return most_usd(request, self._parties(request.way(DebatePlan)))

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            for judge in (self._judge, *self._others.values()):
                await stack.enter_async_context(judge)
            self._opened = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def ask(self, request: Request) -> Reply:
        """Have the question debated, from where an earlier attempt broke off."""
        if not isinstance(request.variant, DebatePlan):
            return await self._judge.ask(request)
        parties = self._parties(request.variant)
        judges = {
            role: (party.spec.judge_id, self._others.get(party.spec.judge_id, self._judge))
            for role, party in parties.items()
        }
        windows = {role: window_of(party.spec, party.price) for role, party in parties.items()}
        return await Writing(request, judges, self._prompts, windows).write()

    def _parties(self, plan: DebatePlan) -> dict[str, Paid]:
        """Return who takes part, by the role's name in `bounds.Messages`."""
        named = {
            "opponent": None if plan.protocol == CONSULTANCY else plan.opponent,
            "asker": plan.asker,
            "preference_judge": plan.preference_judge,
        }
        own = self._own
        found = {
            role: own if judge_id in (SELF, own.spec.judge_id) else self._paid[judge_id]
            for role, judge_id in named.items()
            if judge_id is not None
        }
        return {"own": own, **found}


def debating(judge: Judge, reference_file: Path | None, resources: Resources) -> DebatingJudge:
    """Return the run's judge with everybody whom its plans name.

    Args:
        judge: The judge.
        reference_file: Which answers are right, for simulated judges alone.
        resources: What to have debated, and where others' settings and keys are read.

    Raises:
        BadTemplate: A prompt cannot be used.
        UnknownJudge: Somebody does not exist, or cannot take the role.
    """
    from inference.judges import make_judge

    experiment, spec, prices = resources.experiment, resources.spec, resources.prices
    others: dict[str, Judge] = {}
    paid: dict[str, Paid] = {}
    for judge_id in sorted(_named(experiment) - {SELF, spec.judge_id}):
        other = spec_for(judge_id, resources.judges_file, resources.environ)
        if _KIND not in other.kinds:
            raise UnknownJudge(
                f"judges: '{judge_id}' cannot debate, ask or choose, as experiment "
                f"'{experiment.name}' has it; name a model, or simulated/debater-strong"
            )
        others[judge_id] = make_judge(other, reference_file, resources.environ, prices)
        paid[judge_id] = Paid(other, prices.price_for(other))
    own = Paid(spec, prices.price_for(spec))
    return DebatingJudge(judge, own, others, paid, Prompts.load(resources.prompts_folder))


def _named(experiment: Experiment) -> set[str]:
    """Return the ids the plans name."""
    plans = experiment.arms
    named = {
        judge_id
        for plan in plans
        for judge_id in (plan.opponent, plan.asker, plan.preference_judge)
    }
    return {judge_id for judge_id in named if judge_id is not None}
