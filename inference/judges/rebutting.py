"""A judge whose verdicts meet rebuttals that another judge writes, a debater.

It stands around the run's own judge. Where a request's rebuttal is a debater's, the debater is
asked first, for the side that speaks; what it writes is put into the judge's prompt. The text
stands in the answer's `notes`, also where the judge then failed: asked again, the request has it in
`finished_steps`, and it is not paid for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inference.debates.pressure import WORD_LIMIT, JudgedDebate, Pressed
from inference.errors import BadSettings, UnknownJudge
from inference.judges.base import Judge, Reply, note_of, reply_of, summed, written
from inference.judges.parties import JudgeWithOthers, Party, other_parties, own_party
from inference.judges.request import Request
from inference.kinds.protocol import PromptInputs
from inference.tokens import at_most

if TYPE_CHECKING:
    from inference.kinds.protocol import RunResources

# What puts a debater's words into the prompt of a request.
Rebutted = Callable[[JudgedDebate, Pressed, str], PromptInputs]


class RebuttedJudge(JudgeWithOthers):
    """The judge, with the debaters who object to it."""

    def __init__(self, own: Party, debaters: Mapping[str, Party], put: Rebutted) -> None:
        super().__init__(own, debaters)
        self._put = put

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the judge's identity and the settings of the debater."""
        known = self._judge.identity(request)
        if not request.note_prompts:
            return known
        debater = self._parties[request.way(Pressed).rebuttal].spec
        return {**known, "debater": [debater.judge_id, debater.settings_hash]}

    def most_usd(self, request: Request) -> tuple[float, float]:
        """Return the most a request can cost, and the most that one message of it can."""
        tokens_in = at_most(request.sent)
        if not request.note_prompts:
            most = self._own.most_usd(tokens_in, request)
            return most, most
        debater = self._parties[request.way(Pressed).rebuttal]
        rebuttal = debater.most_usd(sum(map(at_most, request.note_prompts)), request)
        judged = self._own.most_usd(tokens_in + debater.most_tokens_out(request), request)
        return rebuttal + judged, max(rebuttal, judged)

    async def ask(self, request: Request) -> Reply:
        """Have the rebuttal written, unless it is, then ask the judge again."""
        if not request.note_prompts:
            return await self._judge.ask(request)
        variant, debate = request.way(Pressed), request.about(JudgedDebate)
        if request.finished_steps:
            rebuttal = reply_of(request.finished_steps[0])
        else:
            (prompt,) = request.note_prompts
            asked = replace(request, prompt=prompt, labels=(), note_prompts=())
            reply = await self._parties[variant.rebuttal].judge.ask(asked)
            rebuttal = written(reply, "no rebuttal was written", "the rebuttal is empty")
            if rebuttal.error_kind is not None:
                return rebuttal
        argued = " ".join((rebuttal.response or "").split()[:WORD_LIMIT])
        put = self._put(debate, variant, argued)
        prompt = request.template.render(put.values, put.turns, is_safe=put.is_safe)
        reply = await self._judge.ask(replace(request, prompt=prompt, note_prompts=()))
        note = note_of(variant.rebutter, replace(rebuttal, response=argued))
        return summed([rebuttal, reply], (note,), "notes")


def rebutted(judge: Judge, debaters: set[str], put: Rebutted, resources: RunResources) -> Judge:
    """Return the run's judge with the debaters that its arms name."""
    if hasattr(judge, "ask_many"):
        raise BadSettings(
            f"pressure: '{resources.spec.judge_id}' sends all requests at once, and a debater is "
            "to speak before it; use the same model without batch/, or the rebuttals of the project"
        )
    parties = other_parties(debaters, resources)
    for judge_id, party in parties.items():
        if hasattr(party.judge, "ask_many"):
            raise UnknownJudge(
                f"pressure: '{judge_id}' cannot write rebuttals one by one; name a model, or "
                "simulated/debater-strong"
            )
    return RebuttedJudge(own_party(judge, resources), parties, put)
