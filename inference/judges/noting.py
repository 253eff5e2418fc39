"""A judge that takes notes on each speech first, and rules from the notes alone.

It wraps another judge, which takes the notes and rules; every request whose strategy is not `notes`
is handed on as it is. A note that fails is the request's failure, which carries the notes before
it: asked again, the request has them in `finished_steps`, and they are not paid for twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inference.judges.base import Judge, JudgeWrapper, Reply, note_of, reply_of, summed, written
from inference.judges.request import Request
from inference.parliamentary.items import (
    NOTE,
    AskedAdjudication,
    ParliamentaryDebate,
    speaker_of,
    values_of,
)
from warehouse.records.bp import ROLES


class NotingJudge(JudgeWrapper):
    """The judge, with a pad."""

    def __init__(self, judge: Judge, manuals: Mapping[str, str]) -> None:
        super().__init__(judge)
        self._manuals = manuals

    def identity(self, request: Request) -> dict[str, Any]:
        """Return the judge's identity; the request's own has the prompts for notes."""
        return self._judge.identity(request)

    async def ask(self, request: Request) -> Reply:
        """Take the notes that are missing, then rule."""
        if not request.note_prompts:
            return await self._judge.ask(request)
        way = request.way(AskedAdjudication)
        replies = [reply_of(note) for note in request.finished_steps]
        for prompt in request.note_prompts[len(replies) :]:
            # A note has no ruling's form, and the judge is to know it for what it is.
            step = replace(request, prompt=prompt, note_prompts=(), variant=replace(way, task=NOTE))
            reply = written(
                await self._judge.ask(step),
                "no notes on a speech were taken",
                "the notes on a speech are empty",
            )
            replies.append(reply)
            if reply.error_kind is not None:
                return _noted(replies)
        debate = request.about(ParliamentaryDebate)
        values = values_of(debate, way, self._manuals[way.manual_label])
        notes = [
            (speaker_of(speech.role), reply.response or "")
            for speech, reply in zip(debate.speeches, replies, strict=True)
        ]
        prompt = request.template.render(values, notes)
        ruling = await self._judge.ask(replace(request, prompt=prompt, note_prompts=()))
        return _noted([*replies, ruling])


def _noted(replies: Sequence[Reply]) -> Reply:
    """Return the last reply with the notes before it, and with what all of them have used."""
    notes = tuple(
        note_of(role, reply)
        for role, reply in zip(ROLES, replies, strict=False)
        if reply.error_kind is None and reply is not replies[-1]
    )
    return summed(replies, notes, "notes")
