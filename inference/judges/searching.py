"""A judge that looks texts up before it answers: three retrievals at most, by what it asks for.

It wraps another judge, which thinks and answers; every request whose retrieval is not `react` is
handed on as it is. A step that fails is the request's failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from inference.answers import STEP_BY_STEP
from inference.errors import InferenceError
from inference.grounding import Grounding
from inference.judges.base import Judge, Reply, Request
from inference.prompt_files import Prompt
from inference.retrieval import shown, step_by_step

_COUNTED = ("tokens_in", "tokens_out", "tokens_cached", "cost_usd")


class _StepFailed(InferenceError):
    """A step brought a failure instead of a decision."""


class SearchingJudge:
    """The judge, with somewhere to look.

    Args:
        judge: Who thinks and answers.
        grounding: Where to look.
        prompt: How it is asked for a search query.
    """

    def __init__(self, judge: Judge, grounding: Grounding, prompt: Prompt) -> None:
        self._judge = judge
        self._grounding = grounding
        self._prompt = prompt

    @property
    def concurrency(self) -> int:
        """As many as the judge itself: the steps of one request come one after the other."""
        return self._judge.concurrency

    def identity(self, request: Request) -> dict[str, Any]:
        """What the judge says, the documents, and how it is asked for queries."""
        known = self._judge.identity(request)
        if request.generation.retrieval != STEP_BY_STEP:
            return known
        documents = self._grounding.identity(request.question)
        return {**known, "documents": documents, "step_prompt": self._prompt.prompt_hash}

    async def __aenter__(self) -> Self:
        await self._judge.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._judge.__aexit__(kind, error, trace)

    async def ask(self, request: Request) -> Reply:
        """Look up what the judge asks for, then let it answer."""
        if request.generation.retrieval != STEP_BY_STEP:
            return await self._judge.ask(request)
        replies: list[Reply] = []

        async def ask(prompt: str) -> str:
            step = replace(request, prompt=prompt, system=None)
            replies.append(await self._judge.ask(step))
            if replies[-1].error_kind is not None:
                raise _StepFailed(str(replies[-1].error))
            return replies[-1].response or ""

        question = request.question
        trusted_only = bool(request.generation.is_trusted_only)
        try:
            gathered = await step_by_step(
                self._grounding.retriever(question), question.question, ask, self._prompt,
                trusted_only=trusted_only,
            )  # fmt: skip
        except _StepFailed:
            return _summed(replies)
        documents = shown(gathered.chunks)
        values = {"question": question.question, "documents": documents, "target_tokens": ""}
        prompt = request.template.render(values)
        replies.append(await self._judge.ask(replace(request, prompt=prompt)))
        searches = tuple(
            {name: value for name, value in step._asdict().items() if name != "reply"}
            for step in gathered.steps
        )
        return replace(_summed(replies), searches=searches)


def _summed(replies: Sequence[Reply]) -> Reply:
    """Return the last reply with what all of them have used; nothing is known where one is not."""
    totals: dict[str, Any] = {}
    for name in _COUNTED:
        used = [getattr(reply, name) for reply in replies]
        totals[name] = None if any(value is None for value in used) else sum(used)
    return replace(replies[-1], **totals)
