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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inference.judges.base import Judge, Reply
from inference.judges.parties import JudgeWithOthers, Party, other_parties, own_party
from inference.judges.request import Request
from inference.oversight.debating.bounds import ATTEMPTS, most_usd
from inference.oversight.debating.prompts import Prompts
from inference.oversight.debating.transcript import RULES, Writing
from inference.oversight.items import CONSULTANCY, SELF, DebatePlan
from inference.prices import window_of

if TYPE_CHECKING:
    from inference.kinds.protocol import RunResources


class DebatingJudge(JudgeWithOthers):
    """The judge, with the other participants by id."""

    def __init__(self, own: Party, others: Mapping[str, Party], prompts: Prompts) -> None:
        super().__init__(own, others)
        self._prompts = prompts

    def identity(self, request: Request) -> dict[str, Any]:
        """Identity of the judge, with the participants, their settings and their prompts."""
        known = self._judge.identity(request)
        if not isinstance(request.variant, DebatePlan):
            return known
        parties = {
            role: [party.spec.judge_id, party.spec.settings_hash]
            for role, party in self._roles(request.variant).items()
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
            BadSettings: A participant is paid for, and no price is known.
        """
        return most_usd(request, self._roles(request.way(DebatePlan)))

    async def ask(self, request: Request) -> Reply:
        """Have the question debated, from where an earlier attempt broke off."""
        if not isinstance(request.variant, DebatePlan):
            return await self._judge.ask(request)
        parties = self._roles(request.variant)
        judges = {role: (party.spec.judge_id, party.judge) for role, party in parties.items()}
        windows = {role: window_of(party.spec, party.price) for role, party in parties.items()}
        return await Writing(request, judges, self._prompts, windows).write()

    def _roles(self, plan: DebatePlan) -> dict[str, Party]:
        """Return the participants, by the role's name in `bounds.Messages`."""
        named = {
            "opponent": None if plan.protocol == CONSULTANCY else plan.opponent,
            "asker": plan.asker,
            "preference_judge": plan.preference_judge,
        }
        own = self._own
        found = {
            role: own if judge_id in (SELF, own.spec.judge_id) else self._parties[judge_id]
            for role, judge_id in named.items()
            if judge_id is not None
        }
        return {"own": own, **found}


def debating(judge: Judge, reference_file: Path | None, resources: RunResources) -> DebatingJudge:
    """Return the run's judge with all participants that its plans name.

    Args:
        reference_file: The right answers, for simulated judges alone.

    Raises:
        BadTemplate: A prompt cannot be used.
        UnknownJudge: A participant does not exist, or cannot take the role.
    """
    named = {
        judge_id
        for plan in resources.experiment.arms
        for judge_id in (plan.opponent, plan.asker, plan.preference_judge)
    }
    named -= {None, SELF, resources.spec.judge_id}
    others = other_parties(named, resources, reference_file)
    return DebatingJudge(
        own_party(judge, resources), others, Prompts.load(resources.prompts_folder)
    )
