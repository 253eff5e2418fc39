"""A judge that has a question debated: it writes one side, and others take the other roles.

It stands around the run's own model and opens the other participants. The turns of a transcript
(`transcript`) come one after the other. Every reply is kept as it comes, so that a transcript which
breaks off goes on where it stopped (`steps.messages`).

A text that is too long, refuses or lacks its form is asked for again, three times in all. Then the
last that was only too long is cut; without one the candidate is lost. A turn without a candidate
makes the transcript void.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from inference.judges.base import Judge, Reply
from inference.judges.parties import JudgeWithOthers, Party, other_parties, own_party
from inference.judges.request import Request
from inference.oversight.debating.prompts import Prompts
from inference.oversight.debating.records import ASK, ATTEMPTS, CRITICISE, DEBATER, PREFER, REFINE
from inference.oversight.debating.transcript import RULES, Writing
from inference.oversight.items import CONSULTANCY, SELF, DebatePlan, ReadingQuestion
from inference.prices import window_of
from inference.tokens import at_most

if TYPE_CHECKING:
    from inference.kinds.protocol import RunResources

# The bytes of every prompt but the debater's, without what is put in.
_FRAME_BYTES = 2048
# Behind a speaker's name: the round, brackets, and what quotes are marked with.
_TURN_BYTES = 256


class Messages(NamedTuple):
    """The messages of one role that a transcript takes.

    Attributes:
        asked: The sender: `own`, `opponent`, `asker` or `preference_judge`.
        usual: How many where every text can be used.
        most: How many where none can be.
    """

    role: str
    asked: str
    usual: int
    most: int


def messages_of(plan: DebatePlan) -> tuple[Messages, ...]:
    """Return how many messages a transcript takes, role by role."""
    texts = plan.rounds * plan.best_of
    sides = ["own"] if plan.protocol == CONSULTANCY else ["own", "opponent"]
    found: list[Messages] = []
    for side in sides:
        found.append(Messages(DEBATER, side, texts, ATTEMPTS * texts))
        if plan.refine:
            again = texts * plan.refine
            found += [
                Messages(CRITICISE, side, again, again),
                Messages(REFINE, side, again, ATTEMPTS * again),
            ]
    if plan.best_of > 1:
        weighed = 2 * texts * len(sides)
        found.append(Messages(PREFER, "preference_judge", weighed, weighed))
    if plan.asker is not None:
        found.append(Messages(ASK, "asker", plan.rounds - 1, ATTEMPTS * (plan.rounds - 1)))
    return tuple(found)


def most_usd(request: Request, parties: Mapping[str, Party]) -> tuple[float, float]:
    """Return the most a transcript can cost, and the most that one message of it can.

    Args:
        parties: The participants, by `Messages.asked`.

    Raises:
        BadSettings: A participant is paid for, and no price is known.
    """
    plan, question = request.way(DebatePlan), request.about(ReadingQuestion)
    longest = max(party.most_tokens_out(request) for party in parties.values())
    answers = sum(map(at_most, question.answers))
    sides = 1 if plan.protocol == CONSULTANCY else 2
    asks = plan.rounds if plan.asker is not None else 0
    said = (plan.rounds * sides + asks) * (longest + answers + _TURN_BYTES)
    frame = _FRAME_BYTES + at_most(question.question) + answers + said
    total = dearest = 0.0
    for role, asked, _, most in messages_of(plan):
        party = parties[asked]
        # With a draft and what was found lacking in it.
        tokens_in = frame + 2 * longest
        tokens_in += at_most(str(party.spec.settings.get("system_prompt", "")))
        if role in (DEBATER, CRITICISE, REFINE):
            tokens_in += at_most(request.sent)
        each = party.most_usd(tokens_in, request)
        total, dearest = total + most * each, max(dearest, each)
    return total, dearest


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
        """Return the participants, by the role's name in `judge.Messages`."""
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
